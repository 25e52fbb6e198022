"""The claims of REF about a run, and their check with a second, independent algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import factorial, lcm
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from oas.core.errors import InputError, TooLargeError, VerificationError, within
from oas.core.numbers import exact, integer
from oas.core.verifier import Violation
from oas.fair.search import recomputing_kernels as kernels
from oas.fair.ticks import starts_from_schedule
from oas.queueing.stream import whole_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike

    from oas.core.schedule import Schedule
    from oas.fair.instance import FairInstance
    from oas.fair.ticks import FairTicks

SHOWN = 10  # maximum number of jobs or coalitions listed in a violation
# Limits of the second algorithm:
COMPILED_FROM = 3_000  # starts in all coalitions; below, Python integers are as fast
PLAIN_MOST = 2_000_000  # maximum number of starts in all coalitions with Python integers
ROWS_MOST = 2**31  # limit of the arrays in bytes
MOMENTS = 2**18  # approximate number of visits between two checks for Ctrl-C


@dataclass(frozen=True)
class Decision:
    """A decision of the grand coalition between at least two organizations whose next jobs fit."""

    job: int  # the job that starts, in submission order
    # Its organization, and the best other one
    chosen: int
    rival: int
    margin: Fraction  # φ − ψ of `chosen` minus that of `rival` at the moment after the start; 0 for a tie

    def __str__(self) -> str:
        return f"job {self.job} of {self.chosen}, {self.margin} before {self.rival}"


@dataclass(frozen=True)
class ReferenceCertificate:
    """The claims of REF in addition to its starts."""

    # v of each coalition in its own schedule at the horizon; the index of a coalition is Σ 2^u over its members
    values: tuple[int, ...]
    # Every `stride`-th contended decision of the grand coalition, including the first one
    decisions: tuple[Decision, ...]
    stride: int

    def to_data(self) -> dict[str, object]:
        """Return it as JSON-compatible data; the values are one string, because there are many."""
        return {
            "method": "REF",
            "values": " ".join(map(str, self.values)),
            "stride": self.stride,
            "decisions": [[one.job, one.chosen, one.rival, str(one.margin)] for one in self.decisions],
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Return the certificate of JSON-compatible data; `InputError` names an invalid field."""
        for field in ("method", "values", "stride", "decisions"):
            if field not in data:
                raise InputError("is missing", field=field)
        if data["method"] != "REF":
            raise InputError("of fair sharing, REF alone is confirmed", field="method", value=data["method"])
        values = data["values"]
        try:
            numbers = tuple(map(int, values.split()))
        except (AttributeError, ValueError):
            raise InputError("must be whole numbers with blanks between", field="values", value=values) from None
        rows = data["decisions"]
        if not isinstance(rows, list):
            raise InputError("must be a list", field="decisions", value=rows)
        decisions = []
        for place, row in enumerate(rows):
            with within(f"decisions[{place}]"):
                if not isinstance(row, list) or len(row) != 4:
                    reason = "must be job, organization, its best rival, and by how much it comes before"
                    raise InputError(reason, value=row)
                job, chosen, rival = (integer(number, "", least=0) for number in row[:3])
                decisions.append(Decision(job, chosen, rival, exact(row[3], "")))
        return cls(numbers, tuple(decisions), integer(data["stride"], "stride", least=1))


def confirm(instance: FairInstance, schedule: Schedule) -> str:
    """Confirm the certificate of a verified schedule; return a line that reports it.

    Raises `InputError`, naming the field, if the certificate is invalid; `VerificationError` if the schedule is not
    that of REF, or a value of the certificate is wrong.
    """
    with within("certificate"):
        certificate = ReferenceCertificate.from_data(schedule.certificate or {})
    wrong = verify_reference(instance.scaled(), starts_from_schedule(instance, schedule), certificate)
    if wrong:
        raise VerificationError("the schedule's certificate does not hold:", tuple(wrong))
    return (
        f"REF: confirmed by a second algorithm, with v of all {len(certificate.values):,} coalitions"
        f" and the margins of {len(certificate.decisions):,} decisions"
    )


def verify_reference(
    ticks: FairTicks,
    starts: ArrayLike,
    certificate: ReferenceCertificate,
    *,
    compiled: bool | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> list[Violation]:
    """Return the faults of a run of REF and its certificate; empty if all claims hold.

    `recompute` runs REF again for every coalition: event by event in order of time, with current potentials, without
    chunks or earlier contributions. The start of each job (``reference``), the value of each coalition at the horizon
    (``value``), and job, organizations and exact margin of each recorded decision (``margin``) are compared. This takes
    several times as long as REF.

    `starts` are the claimed starts, -1 for not before the horizon. `on_progress` is called regularly with the current
    moment; `compiled` None selects the loops by size.

    Raises `InputError` if `starts` is not a sequence of integers ≥ -1; `TooLargeError` if numbers may exceed 64 bits
    and there are too many starts for Python integers.
    """
    given = whole_numbers(starts, "starts", -1).tolist()
    if certificate.stride < 1:
        return [Violation("margin", (), f"each {certificate.stride}-th decision is to be noted")]
    expected, values, decisions = recompute(ticks, certificate.stride, compiled=compiled, on_progress=on_progress)
    return [
        *_differences("reference", "jobs do not start when REF starts them", given, expected),
        *_differences("value", "coalitions have another v", certificate.values, values),
        *_differences("margin", "noted decisions are others", certificate.decisions, decisions),
    ]


def _differences(rule: str, what: str, given: Sequence[object], found: Sequence[object]) -> Iterator[Violation]:
    if len(given) != len(found):
        yield Violation(rule, (), f"{what}: there are {len(given)}, and must be {len(found)}")
        return
    wrong = [place for place, value in enumerate(given) if value != found[place]]
    if wrong:
        first, more = wrong[0], ", …" if len(wrong) > SHOWN else ""
        named = ", ".join(map(str, wrong[:SHOWN]))
        where = f"at {first}, {given[first]} instead of {found[first]}"
        jobs = tuple(map(str, wrong[:SHOWN])) if rule == "reference" else ()
        yield Violation(rule, jobs, f"{what}: {len(wrong):,} ({named}{more}); {where}")


def potential_weights(organizations: int) -> tuple[int, list[list[int]]]:
    """Return the least common multiple L of 1 to k, and in row c, column s the number L·(s − 1)!(c − s)!/c!.

    These are the weights of v(S) in the potential P(C), times L, for coalitions S ⊆ C of s and c organizations.
    """
    scale = lcm(*range(1, organizations + 1))
    weights = [[0] * (organizations + 1) for _ in range(organizations + 1)]
    for c in range(1, organizations + 1):
        for s in range(1, c + 1):
            weights[c][s] = scale * factorial(s - 1) * factorial(c - s) // factorial(c)
    return scale, weights


def recompute(
    ticks: FairTicks,
    stride: int,
    *,
    compiled: bool | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> tuple[list[int], list[int], list[Decision]]:
    """Run REF by its second algorithm; return starts, v of each coalition, and each `stride`-th contended decision.

    Raises `TooLargeError` if it needs too much memory, or if numbers may exceed 64 bits and there are too many starts
    for Python integers.
    """
    k, horizon = ticks.organization_count, ticks.horizon
    stride = min(stride, ticks.job_count + 1)  # so that it fits in 64 bits; there are no more decisions than jobs
    starts = 2 ** (k - 1) * ticks.job_count
    scale, weights = potential_weights(k)
    # This bounds |P| and scale·ψ, whose difference is compared.
    most = scale * ticks.total * (horizon + 1) * (horizon + 2) // 2
    narrow = most < 2**62
    if not narrow and starts > PLAIN_MOST:
        raise TooLargeError(f"to check REF, numbers may reach {most:.1e}, and {starts:,} starts are too many for those")
    quick = narrow and (starts >= COMPILED_FROM if compiled is None else compiled)
    bytes_ = 8 * ((1 << k) * (11 + 6 * k) + 2 * (1 << k) * ticks.total)
    if bytes_ > ROWS_MOST:
        raise TooLargeError(f"to check REF takes {bytes_:,} bytes; the limit is {ROWS_MOST:,}")
    proceed = kernels.proceed if quick else kernels.proceed.for_lists
    game = _arrays(ticks, stride, weights, np.int64 if quick else object)
    at_once = max(1, MOMENTS >> k)
    while proceed(game, horizon, stride, scale, kernels.proceed.steps_per_call(at_once)):
        if on_progress is not None:
            on_progress(int(max(game.value[:, kernels.SINCE])))
    values = [int(kernels.ahead(game.value.astype(object), row, horizon)) for row in range(1 << k)]
    notes = game.notes[: -(-int(game.counts[kernels.MADE]) // stride)].tolist()
    decisions = [Decision(job, chosen, rival, Fraction(margin, scale)) for job, chosen, rival, margin in notes]
    return game.starts.tolist(), values, decisions


def _arrays(ticks: FairTicks, stride: int, weights: list[list[int]], kind: Any) -> kernels.Coalitions:
    k, count = ticks.organization_count, 1 << ticks.organization_count
    sizes = [coalition.bit_count() for coalition in range(count)]
    machines = ticks.machines.tolist()
    idle = [sum(size for u, size in enumerate(machines) if coalition >> u & 1) for coalition in range(count)]
    running = sum(min(machines_of, ticks.job_count) for machines_of in idle)
    queues = [np.flatnonzero(ticks.owner == u).tolist() for u in range(k)]
    begins = [sum(map(len, queues[:u])) for u in range(k)]
    columns = (ticks.owner, ticks.release, ticks.time, ticks.width)

    def made(values: Any) -> Any:
        return np.array(values, dtype=kind)

    def quadratics(rows: int) -> Any:
        return np.zeros((rows, 4), dtype=kind)

    return kernels.Coalitions(
        jobs=made([column.tolist() for column in columns]).T.copy(),
        queue=made([job for queue in queues for job in queue]),
        head=made([begins] * count),
        tail=made(begins),
        by_rank=made(sorted(range(1, count), key=sizes.__getitem__)),
        size=made(sizes),
        idle=made(idle),
        potential=quadratics(count),
        value=quadratics(count),
        utility=quadratics(count * k),
        weight=made(weights),
        ends=made([0] * running),
        running=made([0] * running),
        starts=made([-1] * ticks.job_count),
        notes=quadratics(ticks.job_count // stride + 1),
        counts=made([0] * 3),
    )
