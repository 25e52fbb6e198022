"""Distribution of a job log among organizations that pool their processors (`FairTicks`), without an object per job.

Section 6.2 of Skowron, Rzadca, *Non-monetary Fair Scheduling* (SPAA 2013): the log's users are distributed among the
organizations, a job of q processors becomes q copies of one processor, and the machines are split among the
organizations by Zipf's law or evenly. The paper says "uniformly distributed the user identifiers": here users are
assigned in turn, in a random order, so that the numbers of users differ by at most 1. Alternatively, rules name the
organization of each user, group or account, and its processors (`oas.logs.membership`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, cast, get_args

import numpy as np

from oas.core.errors import InputError, TooLargeError, unknown_name
from oas.core.formats import show_count
from oas.core.numbers import exact, integer
from oas.core.rigid import Split, split_processors
from oas.fair.ticks import SharedLog, stream_ticks
from oas.logs.membership import Membership
from oas.logs.slices import given_organizations
from oas.logs.windows import least_load
from oas.queueing.stream import NEVER, UNKNOWN, JobStream

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from oas.core.numbers import Exact

    Numbers = NDArray[np.int64]

MOST_JOBS = 10**7  # including copies
MOST_PROCESSORS = 10**9


@dataclass(frozen=True, kw_only=True)
class Sharing:
    """Distribution of a log among organizations, and the selected part of the log.

    Parameters
    ----------
    organizations
        Rules for the organization of each user, group or account, or the number k of organizations, to which users are
        assigned at random.
    machines
        ``zipf`` or ``uniform`` (`oas.core.rigid`), or the processors of each organization; None for the processors or
        shares in the rules of the organizations, or else ``zipf``.
    processors
        Total number to distribute; None for that of the machine in the log.
    wide
        Jobs of q > 1 processors: ``copies`` replaces each by q jobs of one processor, submitted together; ``keep`` does
        so only if the job's organization has fewer than q processors.
    since
        Beginning of the window, in seconds of the log's time; None for the first submission. It becomes time 0.
    length
        Length of the window, in seconds: jobs submitted in [since, since + length); None for all from `since` on.
    horizon
        t_end, in seconds from `since` on; None for the window's length or, without one, for the last end of
        a job if no job had waited.
    busy
        Minimum load. Of the consecutive windows of this length from `since` on, the first one with this load is taken;
        if there is none, the busiest.
    seed
        Seed of the assignment of all users of the log, which is the same in every window.
    """

    organizations: int | Membership | None = None
    machines: str | Sequence[int] | None = None
    processors: int | None = None
    wide: str = "copies"
    since: Exact | None = None
    length: Exact | None = None
    horizon: Exact | None = None
    busy: Exact | None = None
    seed: int = 0


def share(stream: JobStream, sharing: Sharing) -> SharedLog:
    """Distribute a log's jobs and machines among organizations.

    Parameters
    ----------
    stream
        The log (`oas.logs.stream`), with owners. If `sharing` has rules for the organizations, it must have been read
        with their fields: ``owner=rules.fields``.
    sharing
        The distribution.

    Raises
    ------
    InputError
        Naming the field and the value: no organizations given, a user who matches no rule, fewer users than
        organizations, no user known, fewer processors than organizations, no job in the window or before the horizon.
    TooLargeError
        If there would be more than 10⁷ jobs, including copies.
    """
    machines, second = _machines(sharing, stream.machine), stream.second
    given_organizations(sharing.organizations)
    if isinstance(sharing.organizations, Membership):
        names = sharing.organizations.names
        organization, users = _assigned(stream, sharing.organizations)
    else:
        names = tuple(f"O{number}" for number in range(1, len(machines) + 1))
        organization, users = _dealt(stream, len(machines), integer(sharing.seed, "seed", least=0))
    since = int(stream.submit[0]) if sharing.since is None else _ticks(sharing.since, "from", second, least=0)
    length = None if sharing.length is None else _ticks(sharing.length, "length", second, least=1)
    horizon = length if sharing.horizon is None else _ticks(sharing.horizon, "horizon", second, least=1)
    lacking = None
    if sharing.busy is not None:
        if length is None:
            raise InputError("must be given with busy: windows of this length are compared", field="length")
        load = least_load(sharing.busy)
        since, enough = _busy(stream, since, length, load * sum(machines) * length)
        lacking = None if enough else load
    until = NEVER if length is None else since + length
    begin, last = Fraction(since, second), Fraction(int(stream.submit[-1]), second)
    end = "" if length is None else f" before {Fraction(until, second)}"
    window = f"the window from {begin} on{end}; the log's last is submitted at {last}"
    chosen = np.flatnonzero((stream.submit >= since) & (stream.submit < until))
    if not chosen.size:
        raise InputError(f"no job is submitted in {window}", field="from")
    known = chosen[organization[chosen] != UNKNOWN]
    noted = {"left out: user unknown": chosen.size - known.size}
    if not known.size:
        raise InputError(f"no user is known of the jobs in {window}", field="user")
    horizon = horizon or int((stream.submit[known] + stream.time[known]).max()) - since
    if int(stream.submit[known[0]]) - since >= horizon:
        raise InputError("no job is submitted before it", field="horizon", value=str(Fraction(horizon, second)))
    copies, width = _copies(stream.processors[known], np.array(machines)[organization[known]], sharing.wide)
    noted["wider than 1 processor: run as copies of 1"] = int(np.count_nonzero(copies > 1))
    noted["wider than 1 processor: kept whole"] = int(np.count_nonzero(width > 1))
    rows = np.repeat(known, copies)
    jobs = JobStream(
        np.arange(rows.size),
        stream.submit[rows] - since,
        stream.time[rows],
        np.repeat(width, copies),
        organization[rows],
        second=second,
    )
    return SharedLog(
        stream_ticks(jobs, machines, horizon),
        names,
        users,
        stream,
        since,
        Fraction(_work(stream, known), sum(machines) * (length or horizon)),
        {what: number for what, number in noted.items() if number},
        lacking,
    )


def _machines(sharing: Sharing, machine: int | None) -> tuple[int, ...]:
    """Return the processors of each organization."""
    stated, total = sharing.organizations, machine if sharing.processors is None else sharing.processors
    by_rules: tuple[int, ...] | None = None
    if isinstance(stated, Membership):
        by_rules = stated.sizes(total)
        further = {"machines": sharing.machines, "processors": sharing.processors if stated.processors else None}
        for name, value in further.items():
            if by_rules is not None and value is not None:
                raise InputError("the organizations' rules state processors or shares", field=name, value=value)
        stated = len(stated.names)
    if by_rules is not None:
        sizes = by_rules
    elif sharing.machines is not None and not isinstance(sharing.machines, str):
        sizes = tuple(integer(one, f"machines[{k}]", least=1) for k, one in enumerate(sharing.machines))
        if not sizes:
            raise InputError("at least one organization is needed", field="machines")
        for name, given, own in (
            ("organizations", stated, len(sizes)),
            ("processors", sharing.processors, sum(sizes)),
        ):
            if given is not None and given != own:
                raise InputError(f"must be {own}, as the list of machines has it", field=name, value=given)
    else:
        if total is None:
            raise InputError("must be given: the log does not say how many there are", field="processors")
        splits = get_args(Split)
        split = sharing.machines or "zipf"
        if split not in splits:
            raise unknown_name(split, splits, "machines", further="the processors of each, such as 8,4,4,1")
        count = cast("int", given_organizations(stated))
        sizes = tuple(split_processors(total, count, cast("Split", split)))
    if sum(sizes) > MOST_PROCESSORS:
        raise InputError(f"must be at most {MOST_PROCESSORS} in all", field="processors", value=sum(sizes))
    return sizes


def _assigned(stream: JobStream, rules: Membership) -> tuple[Numbers, tuple[int, ...]]:
    """Return the organization of each job by rules, and the number of owners of each organization."""
    if stream.owner_fields != rules.fields:
        raise InputError(f"the log must be read with owner={rules.fields!r}, the fields of the rules", field="stream")
    owners, place, jobs = np.unique(stream.owner, return_inverse=True, return_counts=True)
    found = rules.assign([stream.owner_values(one) for one in owners.tolist()], jobs.tolist())
    users = tuple(found.count(one) for one in range(len(rules.names)))
    return np.array(found, dtype=np.int64)[place], users


def _dealt(stream: JobStream, organizations: int, seed: int) -> tuple[Numbers, tuple[int, ...]]:
    """Return the organization of each job, -1 if its user is unknown, and the number of users of each organization."""
    users, place = np.unique(stream.owner, return_inverse=True)
    known = [one for one, user in enumerate(users.tolist()) if user != UNKNOWN]
    if not known:
        raise InputError("the log says of no job whose it is: there is nobody to distribute", field="user")
    if len(known) < organizations:
        reason = f"the log has only {show_count(len(known), 'user')}, and every organization needs one"
        raise InputError(reason, field="organizations", value=organizations)
    Random(seed).shuffle(known)
    dealt = np.full(len(users), UNKNOWN, dtype=np.int64)
    dealt[known] = np.arange(len(known)) % organizations
    return dealt[place], tuple(len(known[one::organizations]) for one in range(organizations))


def _ticks(value: Exact, field: str, second: int, least: int) -> int:
    """Return a time in ticks; it must be a whole number of them."""
    ticks = exact(value, field) * second
    if ticks.denominator != 1:
        unit = "whole seconds" if second == 1 else f"a multiple of 1/{second} s"
        raise InputError(f"must be {unit}, as the log's times are", field=field, value=str(value))
    return integer(int(ticks), field, least=least)


def _busy(stream: JobStream, since: int, length: int, least_work: Fraction) -> tuple[int, bool]:
    """Return the beginning of the first window with this work, or of the busiest, and whether there is such a one."""
    rows = np.flatnonzero(stream.submit >= since)
    if not rows.size:
        return since, False
    number = (stream.submit[rows] - since) // length
    edges = np.concatenate([[0], np.flatnonzero(np.diff(number)) + 1])
    works = [_work(stream, part) for part in np.split(rows, edges[1:])]
    enough = [place for place, work in enumerate(works) if work >= least_work]
    chosen = enough[0] if enough else works.index(max(works))
    return since + int(number[edges[chosen]]) * length, bool(enough)


def _work(stream: JobStream, rows: Numbers) -> int:
    """Return Σ running time × processors of these jobs, without overflow."""
    time, width = stream.time[rows], stream.processors[rows]
    if int(time.max()) * int(width.max()) < NEVER // len(rows):
        return int(np.dot(time, width))
    return sum(one * other for one, other in zip(time.tolist(), width.tolist(), strict=True))


def _copies(processors: Numbers, own: Numbers, wide: str) -> tuple[Numbers, Numbers]:
    """Return the number of jobs that replace each job, and their width."""
    if wide not in ("copies", "keep"):
        raise unknown_name(wide, ("copies", "keep"), "wide")
    whole = (processors <= own) & (wide == "keep")
    copies = np.where(whole, 1, processors)
    count = sum(copies.tolist())
    if count > MOST_JOBS:
        raise TooLargeError(
            f"{processors.size:,} jobs would become {count:,} of one processor, more than {MOST_JOBS:,}: choose a"
            " shorter window, or keep wide jobs whole"
        )
    return copies, np.where(whole, processors, 1)
