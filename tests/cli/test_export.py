"""`oas export` and `oas read-solution`: models for other solvers, and their solutions read back."""

import json
import re
import shutil
import subprocess
import sys
from itertools import count, islice

import pytest
from jsonschema import Draft202012Validator

import oas
from oas.core.registry import COALLOCATION, MOSP
from oas.mosp.generate.tiny import random_instance as random_mosp
from oas.solvers.discovery import executable_for
from oas.solvers.task import MIP
from oas.solving.formulation import formulations, reason_against
from tests.commands import check_mistake
from tests.slow import draws, mostly_slow


def fill(folder):
    oas.save(GRID, folder / "grid.json")


GRID = oas.CoallocationInstance(
    [oas.Cluster("A", [oas.NodeGroup(2, 1)], 1000), oas.Cluster("B", [oas.NodeGroup(2, "1/2")], 1000)],
    [oas.Job("a", 2, 3, 10, "0.5"), oas.Job("b", 2, 2), oas.Job("c", 3, 1, 100, "0.5"), oas.Job("d", 2, 2, 100, "0.5")],
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


@pytest.mark.parametrize(
    ("problem", "name", "program"),
    mostly_slow(MIPS, quick=[one for one in MIPS if one[1:] == ("start-indexed", "cbc")]),
    ids=lambda one: getattr(one, "name", one),
)
def test_solutions_of_other_solvers_are_read_back_and_verified(problem, name, program, run_here, folder):
    # LP and MPS, reduced and not; of the literal model, which takes longest, LP only: one function writes both for all.
    round_trips(run_here, folder, problem, name, program, 2 if name == "literal" else max(2, draws(4)))


@pytest.fixture
def exported(run_here, folder):
    """Export a model and write a solution file; return a function that reads it, with more arguments if given."""
    done = run_here("export", "grid.json", "--lp", "grid.lp")
    assert (done.returncode, done.stdout) == (0, "") and "grid.lp.json" in done.stderr
    solve_file("cbc", folder / "grid.lp", folder / "grid.sol")
    return lambda *more: run_here("read-solution", "grid.json", "grid.lp.json", "grid.sol", *more)


def test_the_description_names_every_variable_of_the_file(exported, folder):
    described = json.loads((folder / "grid.lp.json").read_text())
    written = set(re.findall(r"\b(?:start|beyond)\([\d_]+\)", (folder / "grid.lp").read_text()))
    assert written <= {one["name"] for one in described["variables"]}
    assert described["reduced"] and described["reductions"] and described["lower_bound"] and described["horizon"]
    one = next(one for one in described["variables"] if one.get("job") == "b")
    assert one["end"] > one["start"] >= 0 and set(one["nodes"]) <= {"A", "B"} and one["meaning"]
    schema = oas.io.schema("model")
    assert Draft202012Validator(schema).is_valid(described)
    assert not Draft202012Validator(schema).is_valid(described | {"horizon": None})


def test_an_optimum_that_the_file_claims_does_not_count(exported, folder, run_here):
    """The optimum 6 is above the combinatorial bound 5; the file says "Optimal"."""
    done = exported("--output", "result.json")
    assert done.returncode == 0 and "feasible" in done.stdout and "makespan" in done.stdout, done.stderr
    result = oas.io.load_result(folder / "result.json")
    assert (folder / "grid.sol").read_text().startswith("Optimal")
    assert (result.status, result.lower_bound, result.objective) == ("feasible", 5, 6)
    assert "no optimum is claimed" in run_here("verify", "grid.json", "result.json").stdout


def test_an_optimum_that_meets_a_bound_of_the_toolkit_is_proven(run_here, folder):
    one = oas.MospInstance([oas.Organization("O", 1, [oas.RigidJob("a", 2, 1), oas.RigidJob("b", 1, 1)])])
    oas.save(one, folder / "one.json")
    run_here("export", "one.json", "--mps", "one.mps")
    solve_file("cbc", folder / "one.mps", folder / "one.sol")
    done = run_here("read-solution", "one.json", "one.mps.json", "one.sol", "--json")
    assert (done.returncode, json.loads(done.stdout)["status"]) == (0, "optimal")
    (folder / "result.json").write_text(done.stdout)
    assert "status: optimal, proven" in run_here("verify", "one.json", "result.json").stdout


def test_a_file_without_a_solution_gives_a_result_without_a_schedule(exported, folder):
    (folder / "grid.sol").write_text("solution status: infeasible\nno solution available\n")
    done = exported("--json")
    result = json.loads(done.stdout)
    assert (done.returncode, result["status"], result["schedule"]) == (0, "no_solution", None)
    assert "grid.sol: line 2: holds no solution" in result["message"] and result["lower_bound"]


def test_values_that_break_rules_end_with_the_exit_code_of_verify(exported, folder):
    described = json.loads((folder / "grid.lp.json").read_text())
    first = {one["job"]: one["name"] for one in reversed(described["variables"]) if "job" in one}
    (folder / "grid.sol").write_text("".join(f"{name} 1\n" for name in first.values()))
    done = exported("-o", "result.json")
    assert (done.returncode, done.stdout) == (3, "") and "oas: grid.sol: the values break constraints" in done.stderr
    assert "[constraint] nodes[" in done.stderr and not (folder / "result.json").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"instance_digest": "0" * 64}, "instance_digest: the model is of another instance"),
        ({"horizon": 7}, "another variable belongs here"),
        ({"formulation": "os:system"}, "grid.lp.json: formulation: unknown; known: start-indexed, literal"),
        ({"formulation": "literal"}, "grid.lp.json: variables[0]: another variable belongs here"),
        ({"horizon": 0.1}, "grid.lp.json: horizon: is below the lower bound"),
        ({"variables": [{"name": "x", "start": "1/x"}]}, "grid.lp.json: variables[0].start: not a number"),
        ({"format": "oas-result"}, "grid.lp.json: format: an oas-model file, as `oas export` writes it, is needed"),
        ({"more": 1}, "grid.lp.json: more: there is no such field"),
    ],
)
def test_descriptions_of_other_models_are_refused(change, message, exported, folder):
    described = json.loads((folder / "grid.lp.json").read_text())
    (folder / "grid.lp.json").write_text(json.dumps(described | change))
    check_mistake(exported(), message)


@pytest.mark.parametrize(
    ("text", "message"),
    [("x 1\n", "grid.sol: name: no variable of the model"), ("x one\n", "grid.sol: line 1: the value of x is not")],
)
def test_malformed_solutions_are_refused(text, message, exported, folder):
    (folder / "grid.sol").write_text(text)
    check_mistake(exported(), message)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "give one of --lp and --mps"),
        (("--lp", "a.lp", "--mps", "a.mps"), "give one of --lp and --mps"),
        (("--lp", "a.mps"), "--lp: must end in .lp"),
        (("--lp", "folder.lp"), "--lp: is a folder (got 'folder.lp.json')"),
        (("--lp", "a.lp", "--formulation", "counts"), "--formulation: is a CP-SAT model"),
        (("--lp", "a.lp", "--formulation", "os:system"), "--formulation: unknown"),
        (("--lp", "a.lp", "--horizon", "1"), "--horizon: is below the lower bound"),
        (("--lp", "a.lp", "--full", "--horizon", "1"), "--horizon: no run of job a ends by then"),
    ],
)
def test_mistakes_of_an_export_name_the_option(options, message, run_here, folder):
    (folder / "folder.lp.json").mkdir()
    check_mistake(run_here("export", "grid.json", *options), message)
    assert not list(folder.glob("a.*"))
