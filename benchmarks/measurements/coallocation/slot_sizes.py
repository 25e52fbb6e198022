r"""The size of the time slots on paper-size workloads: the OAS paper's three statements, in numbers.

    python -m benchmarks.measurements.coallocation.slot_sizes \
        --output benchmarks/results/slot_sizes.md --plot docs/slot-size.png

8 jobs on 3 x 4 nodes (`oas.generate.section4`), one thread. First `oas.slot_study` on each workload; then the
start-indexed model under HiGHS by itself, which is given a heuristic's schedule and no bound, as the paper's MIP was.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import psutil

from benchmarks.measurements.coallocation.slot_sizes_report import MIP_PERCENTS, MIP_SECONDS, MipRun, report
from oas.core.result import Bound
from oas.exact.evidence import Evidence
from oas.exact.model_run import run_model
from oas.exact.start import heuristic_schedules
from oas.generate.coallocation.section4 import Bandwidth, section4
from oas.models.coallocation import start_indexed
from oas.plots import save_figure, slot_size_figure
from oas.solvers.task import Limits, Settings
from oas.studies.slot_sizes.study import slot_study

if TYPE_CHECKING:
    from oas.problems.coallocation.instance import CoallocationInstance

SHOWN = 2  # the seed whose sweep is drawn


def mip_run(instance: CoallocationInstance, percent: int) -> MipRun:
    """Solve the start-indexed model by HiGHS, from a heuristic's schedule and no bound."""
    evidence = Evidence(instance.with_slot(instance.mean_base_time * percent / 100))
    for name, schedule in heuristic_schedules(evidence.instance):
        evidence.offer(schedule, name)
    evidence.bound = Bound("none", 0 * instance.mean_base_time)
    slotted: Any = evidence.instance
    scaled = slotted.scaled()
    horizon = int(evidence.makespan / scaled.tick)
    spec = start_indexed.prepare(slotted, scaled, horizon, 0)
    before = _processor_seconds()
    run = run_model(evidence, start_indexed.FORMULATION, Settings("highs"), Limits(MIP_SECONDS), lambda *_: None)
    proven = run.claim is not None and run.claim.bound == evidence.makespan
    return MipRun(percent, _processor_seconds() - before, proven, spec.size + len(spec.ends))


def _processor_seconds() -> float:
    own = psutil.Process()
    every = [own, *own.children(recursive=True)]
    return sum(sum(one.cpu_times()[:2]) for one in every)


def main(arguments: list[str] | None = None) -> int:
    """Measure and write the results file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=8, help="so many workloads for each bandwidth, of seeds 0, 1, …")
    parser.add_argument("--mip-seeds", type=int, default=5, help="so many for HiGHS")
    parser.add_argument("--cache", type=Path, help="folder for the sweeps")
    parser.add_argument("--output", type=Path, help="Markdown file to write")
    parser.add_argument("--plot", type=Path, help="picture of seed 2's sweep to write")
    options = parser.parse_args(arguments)
    studies, seconds = [], []
    for bandwidth in get_args(Bandwidth):
        for seed in range(options.seeds):
            began = time.monotonic()
            studies.append(slot_study(section4(seed=seed, bandwidth=bandwidth), cache=options.cache))
            seconds.append(time.monotonic() - began)
            open_points = sum(not point.proven for point in studies[-1].points)
            print(f"{bandwidth} {seed}: {seconds[-1]:.1f} s, {open_points} open", flush=True)
    runs = []
    for percent in MIP_PERCENTS:
        for seed in range(options.mip_seeds):
            runs.append(mip_run(section4(seed=seed), percent))
            print(f"highs {percent} % {seed}: {runs[-1]}", flush=True)
        if not any(run.proven for run in runs[-options.mip_seeds :]):
            break  # finer still would only be cut off again
    counts = f"--seeds {options.seeds} --mip-seeds {options.mip_seeds}"
    command = f"python -m benchmarks.measurements.coallocation.slot_sizes {counts}"
    lines = report(studies, runs, seconds, command)
    print("\n".join(lines))
    if options.output is not None:
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text("\n".join(lines), encoding="utf-8")
    if options.plot is not None:
        shown = studies[min(SHOWN, len(studies) - 1)]
        save_figure(slot_size_figure(shown.points, title=shown.instance.name, unit="s"), options.plot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
