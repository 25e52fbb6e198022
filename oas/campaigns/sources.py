"""The sources of a campaign's instances: generators with seeds, the worst-case gallery, files, recipes of slices."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oas.campaigns.identity import file_hash, source_hash
from oas.core.errors import InputError
from oas.core.names import unknown_name
from oas.generate.mosp.worst_cases.gallery import worst_cases
from oas.generate.registry import generators
from oas.io.logs.recipes import follow, read_recipe
from oas.io.logs.swf import read_swf
from oas.io.reading import load
from oas.problems.registry import adapted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from oas.campaigns.declaration import InstancesTable
    from oas.core.instances import Instance

KINDS = ("generator", "worst_case", "files", "recipes")


@dataclass(frozen=True)
class Source:
    """One instance, as it can be made again.

    Attributes
    ----------
    kind
        Of `KINDS`.
    name
        Of the generator or the case; the path of the file or the recipe.
    parameters
        For the generator or the case.
    log
        Path of the recipe's log.
    slot, locality
        What to set in place of the instance's own; None for its own. Locality may be ``none``.
    place
        Of the declaration in the campaign's file, for errors.
    """

    kind: str
    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    log: str = ""
    slot: Any = None
    locality: Any = None
    place: str = ""

    def make(self) -> Instance:
        """Make the instance.

        Raises
        ------
        InputError
            Naming file or parameter.
        """
        instance = self._made()
        if self.slot is not None:
            instance = adapted(instance, "slot", self.slot)
        if self.locality is not None:
            instance = adapted(instance, "locality", None if self.locality == "none" else self.locality)
        return instance

    def _made(self) -> Instance:
        if self.kind == "files":
            return load(self.name)
        if self.kind == "recipes":
            return follow(read_recipe(self.name), read_swf(self.log))
        return functions(self.kind)[self.name](**self.parameters)

    def fingerprint(self) -> str:
        """Return what the instance follows from: of another fingerprint it may be another."""
        parts: list[object] = [
            self.kind,
            self.name,
            self.parameters,
            self.slot,
            self.locality,
            source_hash("instances"),
        ]
        if self.kind in ("files", "recipes"):
            parts += [file_hash(path) for path in (self.name, self.log) if path]
        return json.dumps(parts, default=str)


def functions(kind: str) -> dict[str, Callable[..., Instance]]:
    """Return the generators, or the cases of the gallery, by name."""
    if kind == "generator":
        return {one.name: one.function for one in generators()}
    return {one.name: one.function for one in worst_cases()}


def sources_of(table: InstancesTable, seeds: Sequence[int] | None, folder: Path, place: str) -> list[Source]:
    """Return the sources that a table declares, the last parameter's values next to one another.

    Raises
    ------
    InputError
        For an unknown name or parameter, or a pattern that no file matches.
    """
    given = [kind for kind in KINDS if getattr(table, kind) is not None]
    if len(given) != 1:
        raise InputError(f"exactly one of {', '.join(KINDS)} is needed", value=", ".join(given) or None)
    (kind,) = given
    bases = _made(kind, table, seeds) if kind in ("generator", "worst_case") else _read(kind, table, seeds, folder)
    changes = _grid({name: getattr(table, name) for name in ("slot", "locality") if getattr(table, name) is not None})
    return [
        replace(base, slot=change.get("slot"), locality=change.get("locality"), place=place)
        for base in bases
        for change in changes
    ]


def _made(kind: str, table: InstancesTable, seeds: Sequence[int] | None) -> list[Source]:
    name = getattr(table, kind)
    known = functions(kind)
    if name not in known:
        raise unknown_name(name, known, kind)
    if table.log is not None:
        raise InputError("belongs to recipes", field="log", value=table.log)
    accepted = inspect.signature(known[name]).parameters
    for parameter in table.parameters:
        if parameter not in accepted or parameter == "seed":
            possible = [one for one in accepted if one != "seed"]
            reason = f"{name} has no such parameter"
            raise unknown_name(parameter, possible, f"parameters.{parameter}", reason=reason)
    grid = _grid(table.parameters)
    if seeds is not None and "seed" not in accepted:
        raise InputError(f"{name} draws nothing, so it takes no seeds", field="seeds")
    if "seed" in accepted:
        grid = [{**one, "seed": seed} for one in grid for seed in (seeds or [0])]
    return [Source(kind, name, one) for one in grid]


def _read(kind: str, table: InstancesTable, seeds: Sequence[int] | None, folder: Path) -> list[Source]:
    if table.parameters or seeds is not None:
        raise InputError(
            f"{kind} take neither parameters nor seeds", field="parameters" if table.parameters else "seeds"
        )
    if (table.log is not None) != (kind == "recipes"):
        raise InputError("recipes need their log" if kind == "recipes" else "belongs to recipes", field="log")
    log = str((folder / table.log).resolve()) if table.log is not None else ""
    paths = [
        path for index, pattern in enumerate(getattr(table, kind)) for path in _matches(kind, index, pattern, folder)
    ]
    return [Source(kind, path, log=log) for path in dict.fromkeys(paths)]


def _matches(kind: str, index: int, pattern: str, folder: Path) -> list[str]:
    absolute = Path(pattern)
    base, inside = (Path(absolute.anchor), pattern[len(absolute.anchor) :]) if absolute.anchor else (folder, pattern)
    found = sorted(str(path.resolve()) for path in base.glob(inside)) if inside else []
    if not found:
        raise InputError(f"no file matches in {str(folder)!r}", field=f"{kind}[{index}]", value=pattern)
    return found


def _grid(parameters: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every combination of the values; what is no list has one value."""
    choices = []
    for name, value in parameters.items():
        values = value if isinstance(value, list) else [value]
        if not values:
            raise InputError("an empty list has no values", field=name)
        choices.append([(name, one) for one in values])
    return [dict(one) for one in product(*choices)]
