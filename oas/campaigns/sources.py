"""Sources of a campaign's instances: generators with seeds, worst cases, files, recipes of log slices."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass, field, replace
from itertools import chain, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oas.campaigns.methods import file_hash, source_hash
from oas.core.errors import InputError, unknown_name
from oas.core.registry import adapted
from oas.generate import maker
from oas.io.reading import load
from oas.logs.slices import follow, read_recipe
from oas.logs.swf import read_swf

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oas.campaigns.declaration import InstancesTable
    from oas.core.instances import Instance

MAX_SEED_DIGITS = 30  # of an instance's seed
KINDS = ("generator", "worst_case", "files", "recipes")
CHANGES = ("slot", "locality", "saturation")
"""Keys that change an instance after it was generated or read."""


@dataclass(frozen=True)
class Source:
    """Reproducible source of one instance."""

    kind: str  # one of `KINDS`
    name: str  # of the generator or worst case; path of the file or recipe
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)  # of the generator or worst case
    data: str = ""  # path of the recipe's log
    changes: Mapping[str, Any] = field(default_factory=dict, hash=False)  # new values of `CHANGES`
    place: str = ""  # of the declaration in the campaign's file, for errors
    sample: str = ""  # name of the sample of instances, by which reports and targets are grouped

    def make(self) -> Instance:
        """Return the instance; raises `InputError` that names file or parameter."""
        instance: Instance
        match self.kind:
            case "files":
                instance = load(self.name)
            case "recipes":
                instance = follow(read_recipe(self.name), read_swf(self.data))
            case _:
                instance = maker(self.kind, self.name)(**self.parameters)
        for name, value in self.changes.items():
            none = name == "locality" and value == "none"
            instance = adapted(instance, name, None if none else value)
        return instance

    def fingerprint(self) -> str:
        """Return a text that determines the instance."""
        parts: list[object] = [self.kind, self.name, self.parameters, self.changes, source_hash("instances")]
        if self.kind in ("files", "recipes"):
            parts.append(file_hash(self.name))
        if self.data:
            parts.append(file_hash(self.data))
        return json.dumps(parts, default=str)


def sources_of(table: InstancesTable, seeds: Sequence[int] | None, folder: Path, place: str) -> list[Source]:
    """Return the sources that a table declares; the last parameter varies fastest.

    Raises `InputError` for an unknown name or parameter, or a pattern that matches no file.
    """
    given = [kind for kind in KINDS if getattr(table, kind) is not None]
    if len(given) != 1:
        raise InputError(f"exactly one of {', '.join(KINDS)} is needed", value=", ".join(given) or None)
    (kind,) = given
    is_made = kind in ("generator", "worst_case")
    bases = _made(kind, table, seeds) if is_made else _read(kind, table, seeds, folder)
    changes = _grid({name: getattr(table, name) for name in CHANGES if getattr(table, name) is not None})
    return [
        replace(base, changes=change, place=place, sample=_sample(table.sample, base, change))
        for base in bases
        for change in changes
    ]


def _sample(pattern: str, base: Source, changes: Mapping[str, Any]) -> str:
    """Return the sample's name: `pattern` in which names in braces are replaced by the values of parameters."""
    values = {"generator": base.name, **base.parameters, **changes}
    return _formatted(pattern, values, "sample")


def _formatted(pattern: str, values: Mapping[str, Any], field: str) -> str:
    try:
        return pattern.format(**values)
    except (KeyError, IndexError, ValueError) as error:
        reason = f"must be text with names of parameters in braces, of {', '.join(values)} ({error!r})"
        raise InputError(reason, field=field, value=pattern) from error


def _made(kind: str, table: InstancesTable, seeds: Sequence[int] | None) -> list[Source]:
    name = getattr(table, kind)
    accepted = inspect.signature(maker(kind, name)).parameters
    _refuse(table, kind, ("log",))
    for parameter in table.parameters:
        if parameter not in accepted or parameter == "seed":
            known = [key for key in accepted if key != "seed"]
            reason = f"{name} has no such parameter"
            raise unknown_name(parameter, known, f"parameters.{parameter}", reason=reason)
    grid = _grid(table.parameters)
    if seeds is not None and "seed" not in accepted:
        raise InputError(f"{name} is not random, so it takes no seeds", field="seeds")
    if "seed" in accepted:
        grid = [{**cell, "seed": _seed(table.seed_format, cell, seed)} for cell in grid for seed in (seeds or [0])]
    return [Source(kind, name, cell) for cell in grid]


def _seed(pattern: str | None, parameters: Mapping[str, Any], seed: int) -> int:
    """Return the seed of an instance; with a `pattern`, it depends on the parameters too."""
    if pattern is None:
        return seed
    text = _formatted(pattern, {**parameters, "seed": seed}, "seed_format")
    if not (text.isascii() and text.isdecimal() and len(text) <= MAX_SEED_DIGITS):
        raise InputError(f"must give an integer of at most {MAX_SEED_DIGITS} digits", field="seed_format", value=text)
    return int(text)


def _refuse(table: InstancesTable, kind: str, names: Sequence[str]) -> None:
    """Raise `InputError` for keys that do not belong to this kind of source."""
    for name in names:
        if getattr(table, name):
            raise InputError(f"does not belong to {kind}", field=name)


def _read(kind: str, table: InstancesTable, seeds: Sequence[int] | None, folder: Path) -> list[Source]:
    _refuse(table, kind, ("parameters", "seed_format"))
    if seeds is not None:
        raise InputError(f"{kind} take neither parameters nor seeds", field="seeds")
    if (table.log is not None) != (kind == "recipes"):
        raise InputError("recipes need their log" if kind == "recipes" else "belongs to recipes", field="log")
    log = str((folder / table.log).resolve()) if table.log is not None else ""
    paths = (_matches(kind, index, pattern, folder) for index, pattern in enumerate(getattr(table, kind)))
    return [Source(kind, path, data=log) for path in dict.fromkeys(chain.from_iterable(paths))]


def _matches(kind: str, index: int, pattern: str, folder: Path) -> list[str]:
    absolute = Path(pattern)
    base, inside = (Path(absolute.anchor), pattern[len(absolute.anchor) :]) if absolute.anchor else (folder, pattern)
    paths = sorted(str(path.resolve()) for path in base.glob(inside)) if inside else []
    if not paths:
        raise InputError(f"no file matches in {str(folder)!r}", field=f"{kind}[{index}]", value=pattern)
    return paths


def _grid(parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return every combination of the values of each parameter: a list, or a single value."""
    choices = []
    for name, value in parameters.items():
        values = value if isinstance(value, list) else [value]
        if not values:
            raise InputError("an empty list has no values", field=name)
        choices.append(values)
    return [dict(zip(parameters, combination, strict=True)) for combination in product(*choices)]
