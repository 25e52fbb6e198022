"""Generator of the instance library, edition 1.

    python -m benchmarks.library_edition DIR [--traces DIR]

writes the index that `library_edition.toml` declares into a new folder, without results; ``python -m
benchmarks.library_update solve DIR`` adds results. Slices of job logs need the logs. Without logs, the recipes of the
packaged library, which contain no data of the logs, are copied.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from benchmarks.library_update import create
from oas.core.errors import OasError
from oas.io.library_index import Entry, Index, Origin
from oas.library import Library
from oas.library.checking import sizes_of
from oas.library.origins import make
from oas.logs.slices import Slice, recipe_of, write_recipe
from oas.logs.swf import read_swf
from oas.mosp.generate.worst_cases import worst_cases

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from oas.logs.swf import SwfLog

DECLARED: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
EDITION: int = DECLARED["edition"]
TRACES = "traces"


def declared() -> Iterator[Entry]:
    """Yield the entries that need no log, without results."""
    cases = {case.name: {"source": case.source, "summary": case.summary} for case in worst_cases()}
    for table in DECLARED["entries"]:
        about = table.get("about", "{source}: {summary}")
        origin = {name: table[name] for name in ("generator", "worst_case", "locality") if name in table}
        for parameters in _grid(table.get("grids", [{}])):
            words = {**parameters, **cases.get(table.get("worst_case"), {})}
            name = table["name"].format(**words)
            yield _entry(name, table["group"], about.format(**words), Origin(**origin, parameters=parameters))


def _grid(grids: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the combinations of parameters; each list is a dimension of a grid."""
    for grid in grids:
        values = (value if isinstance(value, list) else [value] for value in grid.values())
        yield from (dict(zip(grid, chosen, strict=True)) for chosen in product(*values))


def slices(logs: Iterable[SwfLog]) -> Iterator[Entry]:
    """Yield the slices of the available logs."""
    by_name = {log.name: log for log in logs}
    for table in DECLARED["logs"]:
        full = table["log"]
        if full not in by_name:
            continue
        log = by_name[full]
        about = f"slice of the Parallel Workloads Archive's {full}, all jobs released at 0"
        for first, organizations, jobs, processors in table["slices"]:
            window = Slice(organizations=organizations, count=jobs, first=first, processors=processors)
            recipe = json.loads(write_recipe(recipe_of(log, window)))
            name = f"{table['short']}-n{jobs}-N{organizations}-j{first}"
            yield _entry(name, TRACES, about, Origin(recipe=recipe), {log.sha256: log})


def _entry(name: str, group: str, about: str, origin: Origin, logs: Mapping[str, SwfLog] | None = None) -> Entry:
    instance = make(origin, logs or {})
    return Entry(
        name=name,
        problem=instance.problem.name,
        group=group,
        about=about,
        origin=origin,
        digest=instance.digest,
        jobs=len(instance.jobs),
        clusters=sizes_of(instance),
    )


def main(arguments: list[str] | None = None) -> int:
    """Write the index."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.library_edition",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, help="where to write it; must not hold a library")
    parser.add_argument("--traces", type=Path, help="folder with the job logs")
    options = parser.parse_args(arguments)
    try:
        if options.traces is not None:
            cut = slices(read_swf(path) for path in sorted(options.traces.glob("*.swf.gz")))
        else:
            known = [entry for entry in Library().entries if entry.origin.recipe is not None]
            cut = iter([msgspec.structs.replace(entry, result=None, order=None, records=[]) for entry in known])
        if (options.folder / "index.json").exists():
            raise OasError(f"{options.folder} holds a library")
        options.folder.mkdir(parents=True, exist_ok=True)
        index = Index(version=1, edition=EDITION, title=DECLARED["title"], entries=[*declared(), *cut])
        library = create(options.folder, index)
    except OasError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{len(library.entries)} entries in {options.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
