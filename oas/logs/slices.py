"""Cut a job log into a MOSP instance: selection of jobs, their organizations and the clusters; and recipes for it.

Unknown values of the log are handled as follows, and each case is counted:

- processors: the allocated ones; if unknown or 0, the requested ones; if these are too, the job is skipped;
- a job with unknown running time or 0 is skipped; on request 0 counts as 1 second, because times are rounded;
- a job with unknown submission is skipped if release dates are used;
- a job without a known owner (the field that identifies organizations), or wider than the smallest cluster, is skipped,
  as is a line for a part of an execution;
- a status that the format does not define has no effect.

A recipe describes how to cut an instance out of a log again; it may be published even if the log's data may not. It is
a small JSON document: the log's name and checksum, whom to acknowledge, the slice, and the required digest of the
instance.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from operator import attrgetter
from random import Random
from typing import TYPE_CHECKING, Any, Literal, get_args

import msgspec

from oas.core.errors import InputError, unknown_name, within
from oas.core.formats import plural, show_count
from oas.core.numbers import integer
from oas.core.rigid import Organization, RigidJob, split_processors
from oas.io.decoding import read_tree
from oas.io.files import naming_file, read_bytes
from oas.logs.swf import PARTIAL, UNDEFINED_STATUS
from oas.mosp.instance import MospInstance
from oas.mosp.local import LOCAL_ORDERS

if TYPE_CHECKING:
    from oas.io.files import Source
    from oas.logs.swf import SwfJob, SwfLog

OwnerField = Literal["user", "group", "queue", "partition", "application"]
ZeroRunTime = Literal["skip", "second"]
Processors = int | tuple[int, ...] | Literal["split"] | None
FILTERS = (*get_args(OwnerField), "status")
SPLIT: Literal["split"] = "split"
MAX_ORGANIZATIONS, MAX_JOBS, MAX_PROCESSORS = 10_000, 50_000, 1_000_000


@dataclass(frozen=True, kw_only=True)
class Slice:
    """A description of the instance to cut out of a log; fields as the parameters of `oas.logs.log.Log.to_instance`.

    ``keep_releases`` is `releases` there. Skipped jobs do not count towards ``count``.
    """

    organizations: int = 5
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
        for name, least in (("organizations", 1), ("first", 0), ("count", 1), ("seed", 0)):
            object.__setattr__(self, name, integer(getattr(self, name), name, least=least))
        _at_most(self.organizations, MAX_ORGANIZATIONS, "organizations")
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
        if len(given) != self.organizations:
            reason = f"must be one number, or one for each of {self.organizations} organizations"
            raise InputError(reason, field="processors", value=list(given))
        return tuple(integer(number, f"processors[{index}]", least=1) for index, number in enumerate(given))

    def to_dict(self) -> dict[str, object]:
        """Return all parameters, for JSON; ``Slice(**…)`` makes the slice again."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


def cut(log: SwfLog, window: Slice) -> MospInstance:
    """Cut an instance out of a log.

    Its provenance contains the log, its checksum, its acknowledgement, the slice, and the numbers of skipped jobs by
    reason. Job ids are ``J`` and the number in the log; times are in seconds, the unit of the log.

    Raises `InputError` naming the parameter, if the log has too few jobs or owners, or does not contain its number of
    processors.
    """
    sizes = _sizes(log, window)
    jobs, left_out = select(log, window, min(sizes))
    owner_of = attrgetter(window.by)
    owners = _deal(set(map(owner_of, jobs)), window)
    start = min(job.submit or 0 for job in jobs) if window.keep_releases else 0
    owned: list[list[RigidJob]] = [[] for _ in sizes]
    for job in jobs:
        release = (job.submit or 0) - start if window.keep_releases else 0
        owned[owners[owner_of(job)]].append(RigidJob(f"J{job.number}", job.run_time or 1, job.width, release))
    odd = sum(job.has_undefined_status for job in jobs)
    return MospInstance(
        [Organization(f"O{k + 1}", size, own) for k, (size, own) in enumerate(zip(sizes, owned, strict=True))],
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
            **({"remarks": "; ".join(log.invalid.remarks)} if log.invalid.count else {}),
            **({"kept": json.dumps({UNDEFINED_STATUS: odd})} if odd else {}),
            "local": f"{window.local}, seed {window.seed}" if window.local == "RND" else window.local,
        },
    )


def select(log: SwfLog, window: Slice, widest: int) -> tuple[list[SwfJob], dict[str, int]]:
    """Return the jobs of a window, none wider than `widest`, and the numbers of skipped jobs by reason.

    Raises `InputError` if there are too few jobs.
    """
    jobs: list[SwfJob] = []
    left_out: Counter[str] = Counter(log.invalid.skipped)
    for job in log.jobs:
        if job.number < window.first:
            continue
        reason = _unfit(job, window, widest)
        if reason:
            left_out[reason] += 1
            continue
        jobs.append(job)
        if len(jobs) == window.count:
            return jobs, dict(left_out)
    counts = "; ".join(f"{reason}: {number}" for reason, number in left_out.items())
    reason = f"the log has only {len(jobs)} such jobs from number {window.first} on (left out: {counts or 'none'})"
    raise InputError(reason, field="count", value=window.count)


def _unfit(job: SwfJob, window: Slice, widest: int) -> str:
    """Return the first reason to skip a job; empty if there is none."""
    if job.status in PARTIAL:
        return "part of an execution"
    if any(getattr(job, name) != value for name, value in window.where.items()):
        return "filtered"
    if job.run_time is None:
        return "running time unknown"
    if job.run_time == 0 and window.zero_run_time == "skip":
        return "running time 0"
    if not job.width:
        return "processors unknown or 0"
    if job.width > widest:
        return "wider than the smallest cluster"
    if getattr(job, window.by) is None:
        return f"{window.by} unknown"
    if window.keep_releases and job.submit is None:
        return "submit time unknown"
    return ""


def _deal(owners: set[int], window: Slice) -> dict[int, int]:
    """Assign an organization to each owner."""
    if len(owners) < window.organizations:
        reason = f"the slice's jobs have only {show_count(len(owners), 'owner')}, distinguished by {window.by}"
        raise InputError(reason, field="organizations", value=window.organizations)
    order = sorted(owners)
    Random(window.seed).shuffle(order)
    return {owner: place % window.organizations for place, owner in enumerate(order)}


def _sizes(log: SwfLog, window: Slice) -> tuple[int, ...]:
    """Return the processors of each cluster."""
    sizes, count = window.processors, window.organizations
    if sizes is None or sizes == SPLIT:
        whole = log.max_processors
        if whole is None:
            raise InputError("must be given: the log's header does not say how many there are", field="processors")
        if sizes == SPLIT and whole < count:
            raise InputError(f"the log's {whole} processors are too few to split", field="organizations", value=count)
        sizes = whole if sizes is None else tuple(split_processors(whole, count, "uniform"))
    if isinstance(sizes, int):
        sizes = (sizes,) * count
    _at_most(sum(sizes), MAX_PROCESSORS, "processors")
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


def recipe_of(log: SwfLog, window: Slice) -> Recipe:
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
