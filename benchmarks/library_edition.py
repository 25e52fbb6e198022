"""The instance library's edition 1: which instances it is made of.

    python -m benchmarks.library_edition DIR [--traces DIR]

writes the index into a new folder, without any result; ``oas library solve --library DIR`` finds some. Slices of job
logs need the logs; without them the recipes of the packaged library are taken over, for they hold none of the data.
"""

from __future__ import annotations

import argparse
import json
import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from oas.core.errors import OasError
from oas.generate.mosp.worst_cases import worst_cases
from oas.io.library_index import Entry, Index, Origin
from oas.io.logs.recipes import recipe_of, write_recipe
from oas.io.logs.slices import Slice
from oas.io.logs.swf import read_swf
from oas.library import Library, create
from oas.library.checking import sizes_of
from oas.library.origins import make

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from oas.io.logs.swf import SwfLog

EDITION, TITLE = 1, "oas instance library: co-allocation (OAS) and multi-organization scheduling (MOSP)"

SECTION4 = "OAS section 4"
WORKLOADS = "OAS section 4.2"
SECTION72 = "MOSP section 7.2"
SECTION74 = "MOSP section 7.4"
WORST = "worst cases"
TRACES = "traces"

# jobs, (clusters, nodes of each), η in percent of the mean base time, seeds; each with std and tight bandwidth
COALLOCATION: tuple[tuple[int, tuple[tuple[int, int], ...], tuple[int, ...], tuple[int, ...]], ...] = (
    (8, ((3, 4),), (100, 50, 25, 10, 5, 0), (0, 1)),
    (16, ((3, 4), (3, 20)), (50, 25, 10), (0,)),
    (32, ((3, 4), (3, 20)), (50, 10), (0,)),
    (64, ((3, 80), (6, 20)), (50, 10), (0,)),
)
# n: seeds; each with N organizations of m processors
ORGANIZATIONS = {10: (0, 1), 50: (0, 1), 100: (0, 1), 500: (0,)}
COUNTS, PROCESSORS = (2, 5, 10, 20), (32, 128, 512)
# n, N, shape of the Pareto distribution of cluster sizes from 128 to 1024
UNEQUAL = tuple(product((50,), (5, 10), (1, 5)))

# case, parameters, whether also without locality
CASES: tuple[tuple[str, dict[str, int | str | bool], bool], ...] = (
    ("no-cooperation", {"organizations": 4, "processors": 1}, False),
    ("no-cooperation", {"organizations": 10, "processors": 8}, False),
    ("matching", {}, False),
    ("locality-price", {"machines": "single"}, True),
    ("locality-price", {"machines": "double"}, True),
    ("near-three-bounds", {"organizations": 3, "processors": 10}, False),
    ("near-three-bounds", {"organizations": 10, "processors": 100}, False),
    ("kept-schedules", {"organizations": 4}, False),
    ("kept-schedules", {"organizations": 12}, False),
    ("tight-mocca4", {}, False),
    ("graham-spt", {"processors": 3}, False),
    ("graham-spt", {"processors": 5}, False),
    ("unbounded-ilba", {"x": 1, "repaired": True}, False),
    ("unbounded-ilba", {"x": 2, "repaired": True}, False),
    ("unbounded-ilba", {"x": 3, "repaired": True}, False),
    ("unbounded-ilba", {"x": 1, "repaired": False}, False),
)

# Name in the library; the log; of each slice the first job's number, organizations, jobs, processors of each cluster.
# Clusters are as wide as the widest job, and in these windows the area asks for more time than the longest job does.
LOGS: tuple[tuple[str, str, tuple[tuple[int, int, int, int], ...]], ...] = (
    ("kth", "KTH-SP2-1996-2.1-cln", ((26000, 2, 20, 9), (26000, 4, 60, 17), (23000, 4, 150, 40))),
    ("sdsc-par", "SDSC-Par-1996-3.1-cln", ((12000, 2, 20, 64), (19000, 4, 60, 128), (8000, 4, 150, 128))),
    ("osc", "OSC-Clust-2000-3.1-cln", ((13000, 2, 20, 1), (47000, 4, 60, 3), (72000, 4, 150, 4))),
    ("llnl-atlas", "LLNL-Atlas-2006-2.1-cln", ((2000, 2, 20, 2560), (28000, 4, 60, 1536), (23000, 4, 150, 2048))),
    ("lpc", "LPC-EGEE-2004-1.2-cln", ((1000, 2, 20, 4), (62000, 4, 60, 4), (42000, 4, 150, 4))),
)


def declared() -> Iterator[Entry]:
    """Yield the entries that need no log, without what is known of them."""
    yield from _coallocation()
    yield from _organizations()
    yield from _worst_cases()


def _coallocation() -> Iterator[Entry]:
    for jobs, grids, percents, seeds in COALLOCATION:
        for (clusters, nodes), bandwidth, percent, seed in product(grids, ("std", "tight"), percents, seeds):
            parameters: dict[str, int | str | bool] = {
                "jobs": jobs,
                "clusters": clusters,
                "nodes": nodes,
                "bandwidth": bandwidth,
                "slot_percent": percent,
                "seed": seed,
            }
            name = f"oas-{jobs}-{clusters}x{nodes}-{bandwidth}-{percent}-s{seed}"
            about = f"OAS paper, section 4, at {jobs} jobs; η is {percent} % of the mean base time"
            yield _entry(name, SECTION4, about, Origin(generator="section4", parameters=parameters))
    for number, percent in product(range(1, 7), (50, 5)):
        about = f"WL-{number}, with the intent of the OAS paper's section 4.2; η is {percent} % of the mean base time"
        origin = Origin(generator="workload", parameters={"number": number, "slot_percent": percent})
        yield _entry(f"oas-wl{number}-{percent}", WORKLOADS, about, origin)


def _organizations() -> Iterator[Entry]:
    for workload in ("uni", "swf"):
        for (jobs, seeds), count, size in product(ORGANIZATIONS.items(), COUNTS, PROCESSORS):
            for seed in seeds:
                origin = _drawn(workload, jobs, count, size, seed)
                name = f"{workload}-n{jobs}-N{count}-m{size}-s{seed}"
                yield _entry(name, SECTION72, f"MOCCA paper, section 7.2, set {workload}", origin)
        for jobs, count, shape in UNEQUAL:
            origin = _drawn(workload, jobs, count, 128, 0, pareto=shape)
            name = f"{workload}-n{jobs}-N{count}-m128-p{shape}-s0"
            about = f"MOCCA paper, section 7.4, set {workload}: cluster sizes of a Pareto distribution of shape {shape}"
            yield _entry(name, SECTION74, about, origin)


def _drawn(workload: str, jobs: int, count: int, size: int, seed: int, **more: int) -> Origin:
    shared = {"jobs": jobs, "organizations": count, "processors": size, "seed": seed}
    return Origin(generator=workload, parameters={**shared, **more})


def _worst_cases() -> Iterator[Entry]:
    known = {case.name: case for case in worst_cases()}
    for name, parameters, also_free in CASES:
        values = [
            ("printed", "repaired")[value] if isinstance(value, bool) else str(value) for value in parameters.values()
        ]
        full = "-".join(["wc", name, *values])
        case = known[name]
        origin = Origin(worst_case=name, parameters=parameters)
        yield _entry(full, WORST, f"{case.source}: {case.summary}", origin)
        if also_free:
            free = Origin(worst_case=name, parameters=parameters, locality="none")
            yield _entry(f"{full}-free", WORST, f"{case.source}: without locality", free)


def slices(logs: Iterable[SwfLog]) -> Iterator[Entry]:
    """Yield the slices of those logs that are here."""
    by_name = {log.name: log for log in logs}
    for short, full, windows in LOGS:
        if full not in by_name:
            continue
        log = by_name[full]
        about = f"slice of the Parallel Workloads Archive's {full}, all jobs released at 0"
        for first, organizations, jobs, processors in windows:
            window = Slice(organizations=organizations, count=jobs, first=first, processors=processors)
            recipe = json.loads(write_recipe(recipe_of(log, window)))
            name = f"{short}-n{jobs}-N{organizations}-j{first}"
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
            cut = iter([_bare(entry) for entry in Library().entries if entry.origin.recipe is not None])
        if (options.folder / "index.json").exists():
            raise OasError(f"{options.folder} holds a library")
        options.folder.mkdir(parents=True, exist_ok=True)
        library = create(options.folder, Index(version=1, edition=EDITION, title=TITLE, entries=[*declared(), *cut]))
    except OasError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{len(library.entries)} entries in {options.folder}")
    return 0


def _bare(entry: Entry) -> Entry:
    """Return an entry without results."""
    return msgspec.structs.replace(entry, result=None, order=None, records=[])


if __name__ == "__main__":
    sys.exit(main())
