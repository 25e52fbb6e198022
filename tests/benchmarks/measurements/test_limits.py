"""The measurement of time limits on the least of its instances, and what its odd ones are."""

from __future__ import annotations

import os
from pathlib import Path

from benchmarks.measurements.limits import INSTANCES, busy, many_processors, solved, thousand_task_counts
from benchmarks.measurements.random_limits import draw, run
from oas.io import load_answer, save


def test_odd_instances() -> None:
    assert {job.tasks for job in thousand_task_counts().jobs} == set(range(1, 1001))
    assert {one.processors for one in many_processors().organizations} == {100_000}


def test_a_solve_in_a_process_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "few.json"
    save(INSTANCES["MOSP, 8 jobs, seed 5"](), file)
    with busy(1):
        found = solved(file, 60, Path(os.environ.get("NUMBA_CACHE_DIR", tmp_path / "code")))
    assert found.status == "optimal" and 0 < found.clock < found.call
    assert load_answer(tmp_path / "few.result.json").status.value == "optimal"


def test_random_instances_end_at_a_limit_or_an_interrupt(tmp_path: Path) -> None:
    kinds = [draw(seed) for seed in range(8)]
    assert {instance.variant for instance in kinds} >= {"", "forbid", "slowdown"}
    file = tmp_path / "random.json"
    save(min(kinds, key=lambda one: len(one.jobs)), file)
    assert run(file, 60, None)["status"] == "optimal"
    save(max(kinds, key=lambda one: len(one.jobs)), file)
    row = run(file, 60, 10)
    assert row["status"] in ("optimal", "feasible")
