"""Paper-size instances by each formulation: what is proven, how soon, and by how large a model.

    python -m benchmarks.measurements.coallocation.formulations --output benchmarks/results/formulations.md

8 jobs on 3 x 4 nodes (`oas.generate.section4`), one thread. Each model starts as in `oas solve`, from the best
heuristic schedule and the best combinatorial bound.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from benchmarks.measurements.machine import cpu_model
from heuristics.registry import own_methods
from oas.bounds.lower_bound import best_bound
from oas.core.errors import TooLargeError
from oas.exact.evidence import Evidence
from oas.exact.model_run import run_model
from oas.exact.versions import versions
from oas.generate.coallocation.section4 import Bandwidth, section4
from oas.models.coallocation import literal, start_indexed
from oas.problems.coallocation.problem import COALLOCATION
from oas.solvers.task import Limits, Settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction

    from oas.models.formulation import Formulation
    from oas.problems.coallocation.instance import CoallocationInstance


@dataclass(frozen=True)
class Entry:
    """A run on each instance: a formulation by a solver, at slot sizes in percent, with a limit in seconds."""

    formulation: Formulation
    solver: str
    percents: tuple[int, ...]
    seconds: float


ENTRIES = (
    Entry(start_indexed.FORMULATION, "highs", (250, 100, 50), 60),
    Entry(start_indexed.FORMULATION, "cbc", (100,), 60),
    Entry(literal.FORMULATION, "highs", (250, 100, 50), 120),
)
COLUMNS = (
    "bandwidth",
    "seed",
    "η %",
    "formulation",
    "solver",
    "heuristic",
    "first bound",
    "makespan",
    "proven bound",
    "optimal",
    "seconds",
    "ended",
    "variables",
    "rows",
    "load",
)


def measure(
    instance: CoallocationInstance, formulation: Formulation, solver: str, seconds: float
) -> tuple[object, ...]:
    """Run one model; return the columns from ``heuristic`` on. Times are in ticks: slots where η > 0."""
    evidence = Evidence(instance)
    for method in own_methods(COALLOCATION):
        evidence.offer(method(instance), method.name)
    evidence.bound = best_bound(instance)
    start, first = evidence.makespan, evidence.bound.value
    assert start is not None
    variables, rows = size(instance, formulation, start, first)
    began = time.monotonic()
    run = run_model(evidence, formulation, Settings(solver), Limits(seconds), lambda *_: None)
    took = time.monotonic() - began
    proven = max([first, *([run.claim.bound] if run.claim else [])])
    assert evidence.makespan is not None
    tick = instance.scaled().tick
    return (
        *(int(value / tick) for value in (start, first, evidence.makespan, proven)),
        "yes" if evidence.makespan == proven else "no",
        f"{took:.1f}",
        run.termination.value + (f" ({run.message})" if run.message else ""),
        variables,
        rows,
        f"{os.getloadavg()[0]:.1f}",
    )


def size(
    instance: CoallocationInstance, formulation: Formulation, horizon: Fraction, bound: Fraction
) -> tuple[object, object]:
    """Return the numbers of variables and rows; dashes if the model is too large to be built."""
    import pyomo.environ as pyo

    scaled = instance.scaled()
    try:
        spec = formulation.prepare(instance, scaled, int(horizon / scaled.tick), int(bound / scaled.tick))
    except TooLargeError:
        return "–", "–"
    module, _, function = formulation.builder.partition(":")
    model: Any = getattr(import_module(module), function)(spec)
    variables, rows = (sum(1 for _ in model.component_data_objects(kind)) for kind in (pyo.Var, pyo.Constraint))
    return variables, rows


def lines(seeds: int, entries: Sequence[Entry] = ENTRIES) -> Iterator[str]:
    """Yield the table, a line as soon as it is known."""
    yield f"| {' | '.join(COLUMNS)} |"
    yield "|" + "---|" * len(COLUMNS)
    for entry in entries:
        for percent in entry.percents:
            for bandwidth in get_args(Bandwidth):
                for seed in range(seeds):
                    instance = section4(seed=seed, bandwidth=bandwidth, slot_percent=percent)
                    name = entry.formulation.name
                    cells = measure(instance, entry.formulation, entry.solver, entry.seconds)
                    shown = (bandwidth, seed, percent, name, entry.solver, *cells)
                    yield f"| {' | '.join(map(str, shown))} |"


def head(seeds: int) -> list[str]:
    """Return what stands above the table: the command, the software, the machine."""
    solvers = versions({"highspy": version("highspy"), "pulp (its CBC)": version("pulp")})
    return [
        "# Formulations on paper-size instances",
        "",
        f"8 jobs on 3 x 4 nodes (`oas generate section4`), seeds 0 to {seeds - 1}, one thread. Heuristic: the best",
        "makespan of the six, where the models start. First bound: the best combinatorial one. Makespans and bounds",
        "are in slots. Seconds: wall clock of building and solving; limits 60 s, literal 120 s. Load: the machine's",
        "1-minute average when the run ended.",
        "",
        f"    python -m benchmarks.measurements.coallocation.formulations --seeds {seeds}",
        "",
        ", ".join(f"{name} {text}" for name, text in solvers.items()),
        "",
        f"{cpu_model()}, {os.cpu_count()} CPUs",
        "",
    ]


def main(arguments: list[str] | None = None) -> int:
    """Measure, print each line as it comes, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5, help="so many instances, of seeds 0, 1, …")
    parser.add_argument("--only", default="", help="only formulations with this in their name")
    parser.add_argument("--output", type=Path, help="Markdown file to write")
    options = parser.parse_args(arguments)
    report = head(options.seeds)
    print("\n".join(report))
    chosen = [entry for entry in ENTRIES if options.only in entry.formulation.name]
    for line in lines(options.seeds, chosen):
        print(line, flush=True)
        report.append(line)
    if options.output is not None:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text("\n".join([*report, ""]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
