"""Pictures of schedules under slowdown, as a user types it: of a plan beside its execution, and of one schedule."""

from __future__ import annotations

import pytest

import oas
from tests.studies.test_saturation_price import pair


def fill(folder):
    """Two jobs that saturate a link together, a plan that runs them one after the other, and one on top of another."""
    oas.save(pair(), folder / "pair.json")
    first, second = {"P": [0, 1], "Q": [0]}, {"R": [0, 1], "Q": [1]}
    for name, start in (("turns", 12), ("both", 0)):
        placements = [oas.Placement("A", 0, 12, first), oas.Placement("B", start, start + 12, second)]
        oas.save(oas.Schedule(placements), folder / f"{name}.json")


@pytest.mark.parametrize("plan", ["turns.json", "both.json"])
def test_a_plan_beside_its_execution(folder, run_here, plan):
    """The second is feasible under no policy; it is drawn all the same."""
    done = run_here("execute", "pair.json", plan, "--saturation", "slowdown", "--gantt", "both.png")
    assert done.returncode == 0, done.stderr
    assert (folder / "both.png").read_bytes().startswith(b"\x89PNG") and "picture written to both.png" in done.stderr


def test_an_order_has_no_plan(folder, run_here):
    done = run_here("execute", "pair.json", "--order", "FCFS", "--saturation", "slowdown", "--gantt", "one.svg", "-q")
    assert done.returncode == 0 and not done.stderr
    assert b"<svg" in (folder / "one.svg").read_bytes()


def test_solve_and_plot(folder, run_here):
    oas.save(pair().with_saturation("slowdown"), folder / "slow.json")
    done = run_here("solve", "slow.json", "-q", "--gantt", "optimum.png", "-o", "optimum.json")
    assert done.returncode == 0 and "18" in done.stdout, done.stderr
    done = run_here("plot", "slow.json", "optimum.json", "-o", "again.png")
    assert done.returncode == 0, done.stderr
    for name in ("optimum.png", "again.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")


def test_bad_input(run_here):
    done = run_here("execute", "pair.json", "turns.json", "--gantt", "both.gif")
    assert done.returncode == 2 and "--gantt" in done.stderr
