"""`oas export` and `oas read-solution`: models for other solvers, and their solutions read back."""

import json
import shutil
import subprocess
import sys
from itertools import count, islice

import pytest

import oas
from oas.core.registry import COALLOCATION, MOSP
from oas.mosp.generate.tiny import random_instance as random_mosp
from oas.solvers.discovery import executable_for
from oas.solvers.task import MIP
from oas.solving.formulation import formulations, reason_against
from oas.solving.recheck import recheck_result
from tests.commands import check_mistake
from tests.slow import draws, mostly_slow


def fill(folder):
    oas.save(GRID, folder / "grid.json")


GRID = oas.CoallocationInstance(
    [oas.Cluster("A", [oas.NodeGroup(2, 1)], 1000), oas.Cluster("B", [oas.NodeGroup(2, "1/2")], 1000)],
    [oas.Job("a", 2, 3, 10, "0.5"), oas.Job("b", 1, 2), oas.Job("c", 3, 1, 100, "0.5")],
    slot="1/2",
)

# highspy has no program; these lines stand for `highs MODEL --solution_file SOLUTION` where that is not installed.
HIGHS = "import highspy, sys; h = highspy.Highs(); h.readModel(sys.argv[1]); h.run(); h.writeSolution(sys.argv[2], 0)"


def solve_file(program, model, solution):
    """Solve an LP or MPS file by the command-line program of a solver."""
    highs = shutil.which("highs")
    command = {
        "highs": [highs, model, "--solution_file", solution]
        if highs
        else [sys.executable, "-c", HIGHS, model, solution],
        "cbc": [executable_for("cbc"), model, "solve", "solution", solution],
    }[program]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def instances_for(problem, formulation):
    """Tiny instances that a formulation supports, of each kind of links and slots."""
    for seed in count():
        if problem is MOSP:
            drawn = [random_mosp(seed, max_jobs=4, max_clusters=3, max_processors=3, max_time=4)]
        else:
            saturated = oas.generate.saturated(seed=seed, jobs=3, clusters=2, slot=seed % 2)
            drawn = [oas.generate.tiny(seed=seed, jobs=4), saturated.with_saturation("slowdown")]
        yield from (one for one in drawn if not reason_against(formulation, one))


def round_trips(run_here, folder, problem, name, program, number):
    """Export, solve, read and verify this many instances; every second model is not reduced."""
    formulation = formulations(problem)[name]
    for index, instance in enumerate(islice(instances_for(problem, formulation), number)):
        kind = ("lp", "mps")[index // 2 % 2]
        model, full = f"model.{kind}", ["--full"] if index % 2 else []
        oas.save(instance, folder / "instance.json")
        done = run_here("export", "instance.json", f"--{kind}", model, "--formulation", name, *full)
        assert done.returncode == 0, (index, done.stderr)
        solve_file(program, folder / model, folder / "model.sol")
        done = run_here("read-solution", "instance.json", f"{model}.json", "model.sol", "--json", "-o", "result.json")
        assert done.returncode == 0, (index, done.stderr)
        done = run_here("verify", "instance.json", "result.json")
        assert done.returncode == 0, (index, done.stderr)
        result, expected = oas.io.load_result(folder / "result.json"), oas.solve(instance)
        assert expected.status == "optimal" and result.objective == expected.objective, index
        assert result.status == ("optimal" if result.lower_bound == result.objective else "feasible")


MIPS = [
    (problem, name, program)
    for problem in (COALLOCATION, MOSP)
    for name, one in formulations(problem).items()
    if one.family == MIP
    for program in ("highs", "cbc")
]


@pytest.mark.parametrize(("problem", "name", "program"), MIPS, ids=lambda one: getattr(one, "name", one))
def test_solutions_of_other_solvers_are_read_back_and_verified(problem, name, program, run_here, folder):
    round_trips(run_here, folder, problem, name, program, draws(6))
