"""Reader of a campaign's TOML file, which is validated completely; docs/how/campaigns.md describes the file."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from oas.campaigns.methods import MethodSpec, RunLimits, methods_of
from oas.campaigns.sources import Source, sources_of
from oas.campaigns.targets import Target, target_of
from oas.core.errors import InputError, unknown_name, within
from oas.core.numbers import exact, identifier, integer
from oas.io.files import display_path, read_bytes
from oas.solving.options import Options, bytes_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

MAX_BYTES = 1 << 20
MAX_SEEDS, MAX_SECONDS = 100_000, 10_000_000
MAX_SEED = (1 << 63) - 1  # SQLite's largest integer

Scalar = bool | int | str  # decimals are read as text, so that they stay exact
Seeds = int | str | list[int]


class _Table(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    pass


class LimitsTable(_Table, frozen=True, kw_only=True):
    """``[limits]``, and ``limits`` of a method."""

    time: int | str | None = None
    memory: int | str | None = None


class InstancesTable(_Table, frozen=True, kw_only=True):
    """``[[instances]]``; exactly one of the first four keys is required."""

    generator: str | None = None
    worst_case: str | None = None
    files: list[str] | None = None
    recipes: list[str] | None = None
    log: str | None = None
    sample: str = ""
    seeds: Seeds | None = None
    seed_format: str | None = None
    parameters: dict[str, Scalar | list[Scalar]] = {}
    slot: Scalar | list[Scalar] | None = None
    locality: Scalar | list[Scalar] | None = None
    saturation: str | dict[str, str] | list[str | dict[str, str]] | None = None


class MethodsTable(_Table, frozen=True, kw_only=True):
    """``[[methods]]``; exactly one of the first three keys is required."""

    exact: str | None = None
    heuristics: str | list[str] | None = None
    function: str | None = None
    label: str | None = None
    formulation: str = Options.formulation
    check: list[str] = []
    threads: int = Options.threads
    bounds: bool = Options.bounds
    options: dict[str, Scalar] = {}
    limits: LimitsTable | None = None
    seeds: Seeds = 0
    same_time_as: str = ""


class TargetsTable(_Table, frozen=True, kw_only=True):
    """``[[targets]]``."""

    measure: str
    method: str | None = None
    samples: str | list[str] = []
    at_least: int | str | None = None
    at_most: int | str | None = None


class _File(_Table, frozen=True, kw_only=True):
    name: str
    description: str = ""
    repetitions: int = 1
    limits: LimitsTable = LimitsTable()
    instances: Annotated[list[InstancesTable], msgspec.Meta(min_length=1)]
    methods: Annotated[list[MethodsTable], msgspec.Meta(min_length=1)]
    targets: list[TargetsTable] = []
    slurm: dict[str, Any] = {}


@dataclass(frozen=True)
class Campaign:
    """A declared campaign."""

    name: str  # of the ledger and in reports
    description: str  # for reports
    sources: tuple[Source, ...]  # of the instances, in the order of the file
    methods: tuple[MethodSpec, ...]  # in the order of the file; each runs on the instances that it applies to
    repetitions: int  # number of repetitions of each run, for timings
    targets: tuple[Target, ...]  # requirements on the runs, for reports
    slurm: Mapping[str, Any]  # options of dask-jobqueue's SLURMCluster
    file: str  # path of the file, for errors


def load_campaign(path: str | Path) -> Campaign:
    """Read a campaign's file; raises `InputError` that names file, field and value."""
    try:
        return _campaign(_parsed(read_bytes(path, MAX_BYTES)), Path(path).resolve().parent, display_path(path))
    except InputError as error:
        error.file = error.file or display_path(path)
        raise


def _parsed(data: bytes) -> _File:
    try:
        content = tomllib.loads(data.decode(), parse_float=str)
        return msgspec.convert(content, _File, strict=True)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"not TOML: {error}") from error
    except msgspec.ValidationError as error:
        reason, _, place = str(error).partition(" - at `$")
        field = place.rstrip("`").lstrip(".")
        if unknown := re.fullmatch("Object contains unknown field `(.*)`", reason, re.DOTALL):
            raise unknown_name(unknown[1], _keys(field), field, reason="there is no such key") from error
        raise InputError(reason[:1].lower() + reason[1:], field=field) from error


def _keys(place: str) -> tuple[str, ...]:
    """Return the keys of the table at a place such as ``methods[0].limits``, or of the top level."""
    table = re.sub(r"\[.*?\]", "", place).rpartition(".")[2]
    tables = {"limits": LimitsTable, "instances": InstancesTable, "methods": MethodsTable, "targets": TargetsTable}
    return tables.get(table, _File).__struct_fields__


def _campaign(file: _File, folder: Path, shown_path: str) -> Campaign:
    identifier(file.name, "name")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", file.name):
        raise InputError("must be letters, digits, '.', '-' and '_'", field="name", value=file.name)
    integer(file.repetitions, "repetitions", least=1)
    limits = _limits(file.limits, RunLimits())
    sources: list[Source] = []
    for index, table in enumerate(file.instances):
        with within(f"instances[{index}]"):
            sources += sources_of(table, _seeds(table.seeds), folder, f"instances[{index}]")
    methods: list[MethodSpec] = []
    for index, method in enumerate(file.methods):
        with within(f"methods[{index}]"):
            run_limits = limits if method.limits is None else _limits(method.limits, limits)
            methods += methods_of(method, run_limits, _seeds(method.seeds) or [0])
    labels = [method.label for method in methods]
    if repeated := next((label for label in labels if labels.count(label) > 1), None):
        raise InputError("two methods of this name; give one another 'label'", field="methods", value=repeated)
    _check_leaders(methods)
    samples = {source.sample for source in sources}
    targets: list[Target] = []
    for index, target in enumerate(file.targets):
        with within(f"targets[{index}]"):
            targets.append(target_of(target, labels, samples))
    return Campaign(
        file.name,
        file.description,
        tuple(sources),
        tuple(methods),
        file.repetitions,
        tuple(targets),
        dict(file.slurm),
        shown_path,
    )


def _check_leaders(methods: Sequence[MethodSpec]) -> None:
    """Check that each ``same_time_as`` names a method with the same seeds and without ``same_time_as``."""
    leaders = {method.label: method for method in methods if not method.same_time_as}
    for method in methods:
        if not method.same_time_as:
            continue
        leader = leaders.get(method.same_time_as)
        if leader is None:
            reason = "there is no such method with a time of its own"
            raise unknown_name(method.same_time_as, leaders, f"{method.label}.same_time_as", reason=reason)
        if not set(method.seeds) <= set(leader.seeds):
            raise InputError(f"must be seeds of {leader.label}", field=f"{method.label}.seeds", value=method.seeds)


def _limits(table: LimitsTable, default: RunLimits) -> RunLimits:
    seconds = default.seconds
    if table.time is not None:
        seconds = exact(table.time, "limits.time")
        if not 0 < seconds <= MAX_SECONDS:
            reason = f"must be above 0 and at most {MAX_SECONDS} seconds"
            raise InputError(reason, field="limits.time", value=table.time)
    return RunLimits(seconds, default.memory if table.memory is None else bytes_of(table.memory, "limits.memory"))


def _seeds(value: Seeds | None) -> list[int] | None:
    if value is None:
        return None
    seeds = list(_ranges(value)) if isinstance(value, str) else [value] if isinstance(value, int) else value
    if not seeds or len(seeds) > MAX_SEEDS or len(set(seeds)) < len(seeds):
        raise InputError(f"must be 1 to {MAX_SEEDS} different seeds", field="seeds", value=value)
    for seed in seeds:
        if integer(seed, "seeds", least=0) > MAX_SEED:
            raise InputError(f"must be at most {MAX_SEED}", field="seeds", value=seed)
    return seeds


def _ranges(text: str) -> Iterator[int]:
    """Yield the seeds of a text such as ``0-9, 20``."""
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,9})(?:\s*-\s*(\d{1,9}))?\s*", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, -1)
        if not first <= last < first + MAX_SEEDS:
            raise InputError('must be seeds such as "0-9, 20"', field="seeds", value=text)
        yield from range(first, last + 1)
