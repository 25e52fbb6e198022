"""Cut a job log into a MOSP instance: selection of jobs, their organizations and the clusters; and recipes for it.

Unknown values of the log are handled as follows, and each case is counted:

- processors: the allocated ones; if unknown or 0, the requested ones; if these are too, the job is skipped;
- a job with unknown running time or 0 is skipped; on request 0 counts as 1 second, because times are rounded;
- a job with unknown submission is skipped if release dates are used;
- if owners are assigned at random, a job without a known owner (the field that identifies organizations) is skipped;
- a job wider than its organization's cluster (at random: than the smallest cluster) is skipped;
- a line for a part of an execution is skipped;
- a status that the format does not define has no effect.

A recipe describes how to cut an instance out of a log again; it may be published even if the log's data may not. It is
a small JSON document: the log's name and checksum, whom to acknowledge, the slice, and the required digest of the
instance.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, Literal, get_args

import msgspec

from oas.core.errors import InputError, unknown_name, within
from oas.core.formats import plural, show_count
from oas.core.instances import MAX_CLUSTERS, MAX_JOBS, MAX_NODES
from oas.core.numbers import integer
from oas.core.rigid import Organization, RigidJob, split_processors
from oas.io.decoding import read_tree
from oas.io.files import naming_file, read_bytes
from oas.logs.membership import Membership, membership
from oas.logs.swf import PARTIAL, STATUSES, UNDEFINED_STATUS, SwfLog
from oas.mosp.instance import MospInstance
from oas.mosp.local import LOCAL_ORDERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oas.io.files import Source
    from oas.logs.logged import JobLog, SubmittedJob, Workload

OwnerField = Literal["user", "group", "account", "queue", "partition", "application"]
ZeroRunTime = Literal["skip", "second"]
Processors = int | tuple[int, ...] | Literal["split"] | None
FILTERS = (*get_args(OwnerField), "status")
SPLIT: Literal["split"] = "split"


@dataclass(frozen=True, kw_only=True)
class Slice:
    """A description of the instance to cut out of a log; fields as the parameters of `oas.logs.log.Log.to_instance`.

    ``keep_releases`` is `releases` there. Skipped jobs do not count towards ``count``.
    """

    organizations: int | Membership = 5
    by: OwnerField = "user"
    first: int = 0
    count: int = 100
    processors: Processors = SPLIT
    keep_releases: bool = False
    zero_run_time: ZeroRunTime = "skip"
    where: Mapping[str, int] = field(default_factory=dict, hash=False)
    local: str = "HF"
    seed: int = 0

    def __post_init__(self) -> None:
        for name, least in (("first", 0), ("count", 1), ("seed", 0)):
            object.__setattr__(self, name, integer(getattr(self, name), name, least=least))
        object.__setattr__(self, "organizations", given_organizations(self.organizations))
        _at_most(self.number, MAX_CLUSTERS, "organizations")
        _at_most(self.count, MAX_JOBS, "count")
        if not isinstance(self.keep_releases, bool):
            raise InputError("must be true or false", field="keep_releases", value=self.keep_releases)
        if not isinstance(self.where, Mapping):
            raise InputError("must be values by field", field="where", value=self.where)
        object.__setattr__(self, "processors", self._processors())
        for name, value, known in (
            ("by", self.by, get_args(OwnerField)),
            ("zero_run_time", self.zero_run_time, get_args(ZeroRunTime)),
            *(("where", name, FILTERS) for name in self.where),
            ("local", self.local, tuple(LOCAL_ORDERS)),
        ):
            if value not in known:
                raise unknown_name(value, known, name)
        filters = {name: integer(value, f"where.{name}", least=0) for name, value in self.where.items()}
        object.__setattr__(self, "where", filters)

    def _processors(self) -> Processors:
        """Return `processors` as plain numbers; raises `InputError` for an invalid value."""
        given = self.processors
        if given is None or given == SPLIT:
            return given
        if isinstance(given, str):
            raise InputError(f"must be a number, or {SPLIT}", field="processors", value=given)
        if not isinstance(given, list | tuple):
            return integer(given, "processors", least=1)
        if len(given) != self.number:
            reason = f"must be one number, or one for each of {self.number} organizations"
            raise InputError(reason, field="processors", value=list(given))
        return tuple(integer(number, f"processors[{index}]", least=1) for index, number in enumerate(given))

    @property
    def number(self) -> int:
        """Number of organizations."""
        return len(self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the organizations."""
        if isinstance(self.organizations, Membership):
            return self.organizations.names
        return tuple(f"O{k + 1}" for k in range(self.organizations))

    def to_dict(self) -> dict[str, object]:
        """Return all parameters, for JSON; ``Slice(**…)`` makes the slice again."""
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        if isinstance(self.organizations, Membership):
            values["organizations"] = self.organizations.to_list()
        values["where"] = dict(self.where)
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def given_organizations(given: object) -> int | Membership:
    """Return the organizations of a slice; raises `InputError` if they are not given."""
    if given is None:
        reason = "must be given: rules for the users, groups or accounts, or a number to assign users at random"
        raise InputError(reason, field="organizations")
    if isinstance(given, Membership):
        return given
    if isinstance(given, list | tuple):
        with within("organizations"):
            return membership(given)
    return integer(given, "organizations", least=1)


def cut(log: SwfLog | JobLog | Workload, window: Slice) -> MospInstance:
    """Cut an instance out of a log.

    Its provenance contains the log, its checksum, its acknowledgement, the slice, and the numbers of skipped jobs by
    reason. Job ids are those of the log, for SWF ``J`` and the number; times are in seconds, the unit of the log.

    Raises `InputError` naming the parameter, if the log has too few jobs or owners, or does not contain its number of
    processors.
    """
    sizes = _sizes(log, window)
    jobs, left_out = select(log, window, sizes)
    owners = _members(jobs, window)
    start = min(job.submit or 0 for job in jobs) if window.keep_releases else 0
    owned: list[list[RigidJob]] = [[] for _ in sizes]
    for job, owner in zip(jobs, owners, strict=True):
        release = (job.submit or 0) - start if window.keep_releases else 0
        owned[owner].append(RigidJob(job.id, job.run_time or 1, job.width, release))
    odd = sum(job.status is not None and job.status not in STATUSES for job in jobs)
    remarks = log.invalid.remarks if isinstance(log, SwfLog) else log.remarks
    return MospInstance(
        [Organization(name, size, own) for name, size, own in zip(window.names, sizes, owned, strict=True)],
        local=window.local,
        seed=window.seed,
        name=f"{log.name[:100]}, {len(jobs)} {plural(len(jobs), 'job')} from number {jobs[0].number} on, {len(sizes)}"
        f" {plural(len(sizes), 'organization')}",
        provenance={
            "log": log.name,
            "log_sha256": log.sha256,
            "acknowledgement": log.acknowledgement,
            "slice": json.dumps(window.to_dict(), sort_keys=True),
            "left_out": json.dumps(left_out),
            **({"remarks": "; ".join(remarks)} if remarks else {}),
            **({"kept": json.dumps({UNDEFINED_STATUS: odd})} if odd else {}),
            "local": f"{window.local}, seed {window.seed}" if window.local == "RND" else window.local,
        },
    )


def select(
    log: SwfLog | JobLog | Workload, window: Slice, sizes: Sequence[int]
) -> tuple[list[SubmittedJob], dict[str, int]]:
    """Return the jobs of a window that fit on the clusters of these sizes, and the numbers of skipped jobs by reason.

    Raises `InputError` if there are too few jobs.
    """
    jobs: list[SubmittedJob] = []
    left_out: Counter[str] = Counter(log.invalid.skipped if isinstance(log, SwfLog) else log.skipped)
    for job in log.submitted():
        if job.number < window.first:
            continue
        reason = _unfit(job, window, sizes)
        if reason:
            left_out[reason] += 1
            continue
        jobs.append(job)
        if len(jobs) == window.count:
            return jobs, dict(left_out)
    counts = "; ".join(f"{reason}: {number}" for reason, number in left_out.items())
    reason = f"the log has only {len(jobs)} such jobs from number {window.first} on (left out: {counts or 'none'})"
    reason += "; choose fewer" if jobs else ""
    raise InputError(reason, field="count", value=window.count)


def _unfit(job: SubmittedJob, window: Slice, sizes: Sequence[int]) -> str:
    """Return the first reason to skip a job; empty if there is none."""
    if job.status in PARTIAL:
        return "part of an execution"
    filters = window.where.items()
    if any((job.status if name == "status" else job.owner.get(name)) != value for name, value in filters):
        return "filtered"
    if job.run_time is None:
        return "running time unknown"
    if job.run_time == 0 and window.zero_run_time == "skip":
        return "running time 0"
    if not job.width:
        return "processors unknown or 0"
    if isinstance(window.organizations, Membership):
        own = window.organizations.organization_of(job.owner)
        if own is not None and job.width > sizes[own]:
            return "wider than the organization's cluster"
    else:
        if job.width > min(sizes):
            return "wider than the smallest cluster"
        owner = job.owner.get(window.by)
        if owner is None or (owner == "" and window.number > 1):
            return f"{window.by} unknown"
    if window.keep_releases and job.submit is None:
        return "submit time unknown"
    return ""


def _members(jobs: Sequence[SubmittedJob], window: Slice) -> list[int]:
    """Return the index of the organization of each job."""
    if isinstance(window.organizations, Membership):
        keys = [tuple(job.owner.get(name) for name in window.organizations.fields) for job in jobs]
        counts = Counter(keys)
        values = [dict(zip(window.organizations.fields, key, strict=True)) for key in counts]
        found = dict(zip(counts, window.organizations.assign(values, list(counts.values())), strict=True))
        return [found[key] for key in keys]
    if window.number == 1:
        return [0] * len(jobs)
    owners: list[Any] = [job.owner[window.by] for job in jobs]
    order = sorted(set(owners))
    if len(order) < window.number:
        reason = f"the slice's jobs have only {show_count(len(order), 'owner')}, distinguished by {window.by}"
        raise InputError(reason, field="organizations", value=window.number)
    Random(window.seed).shuffle(order)
    organization = {owner: place % window.number for place, owner in enumerate(order)}
    return [organization[owner] for owner in owners]


def _sizes(log: SwfLog | JobLog | Workload, window: Slice) -> tuple[int, ...]:
    """Return the processors of each cluster."""
    sizes, count = window.processors, window.number
    if isinstance(window.organizations, Membership):
        total = sizes if isinstance(sizes, int) else log.max_processors if sizes == SPLIT else None
        given = window.organizations.sizes(total)
        if given is not None:
            if sizes != SPLIT and not (window.organizations.shares and isinstance(sizes, int)):
                reason = "the organizations' rules state their processors or shares"
                raise InputError(reason, field="processors", value="whole" if sizes is None else sizes)
            _at_most(sum(given), MAX_NODES, "processors")
            return given
    if sizes is None or sizes == SPLIT:
        whole = log.max_processors
        if whole is None:
            raise InputError("must be given: the log does not say how many there are", field="processors")
        if sizes == SPLIT and whole < count:
            raise InputError(f"the log's {whole} processors are too few to split", field="organizations", value=count)
        sizes = whole if sizes is None else tuple(split_processors(whole, count, "uniform"))
    if isinstance(sizes, int):
        sizes = (sizes,) * count
    _at_most(sum(sizes), MAX_NODES, "processors")
    return sizes


def _at_most(value: int, most: int, name: str) -> None:
    if value > most:
        raise InputError(f"must be at most {most}", field=name, value=value)


@dataclass(frozen=True)
class Recipe:
    """The recipe for cutting an instance out of a log again."""

    log: str  # its name
    sha256: str  # of its file
    acknowledgement: str  # whom the log asks to acknowledge
    window: Slice
    digest: str  # of the resulting instance


class _Document(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag_field="format", tag="oas-recipe"):
    version: Literal[1]
    log: str
    sha256: str
    acknowledgement: str
    slice: dict[str, Any]
    digest: str


def recipe_of(log: SwfLog | JobLog | Workload, window: Slice) -> Recipe:
    """Return the recipe for a slice of a log; errors as `oas.logs.slices.cut`."""
    return Recipe(log.name, log.sha256, log.acknowledgement, window, cut(log, window).digest)


def follow(recipe: Recipe, log: SwfLog) -> MospInstance:
    """Cut the recipe's instance out of its log.

    Raises `InputError` if it is another log, or the instance is not the recipe's.
    """
    if log.sha256 != recipe.sha256:
        reason = f"is not the recipe's log, which is {recipe.log} with checksum {recipe.sha256}"
        raise InputError(reason, field="sha256", value=log.sha256)
    instance = cut(log, recipe.window)
    if instance.digest != recipe.digest:
        reason = f"the slice is another instance than the recipe's, of digest {recipe.digest}"
        raise InputError(reason, field="digest", value=instance.digest)
    return instance


def write_recipe(recipe: Recipe) -> bytes:
    """Return a recipe as JSON."""
    document = _Document(1, recipe.log, recipe.sha256, recipe.acknowledgement, recipe.window.to_dict(), recipe.digest)
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def read_recipe(path: Source) -> Recipe:
    """Read a recipe; raises `InputError` naming file, field and value."""
    with naming_file(path):
        return parse_recipe(read_bytes(path, 1 << 20))


def parse_recipe(data: bytes) -> Recipe:
    """Read a recipe from bytes; errors as `read_recipe`."""
    try:
        document = msgspec.convert(read_tree(data, decimal=str), _Document)  # so that 1e1 is no whole number in a file
    except (msgspec.ValidationError, RecursionError) as error:
        raise InputError(f"not a recipe: {error}") from error
    unknown = sorted(set(document.slice) - set(Slice.__dataclass_fields__))
    if unknown:
        known = Slice.__dataclass_fields__
        raise unknown_name(unknown[0], known, f"slice.{unknown[0]}", reason="there is no such field")
    with within("slice"):
        window = Slice(**{"processors": None, **document.slice})  # recipes without `processors` are older than "split"
    return Recipe(document.log, document.sha256, document.acknowledgement, window, document.digest)
