"""The options of a solver that a user may set: none changes the meaning of a bound or of feasibility."""

import subprocess
import sys

import pytest

import oas
from oas.core.errors import InputError
from oas.core.result import Status
from oas.fair.exact.optimum import FairOptions
from oas.solvers.isolation.client import run
from oas.solvers.own_options import ALLOWED, check_own_options, doubtful_options
from oas.solvers.task import Limits, Settings, Task, integer_bound
from tests.slow import draws
from tests.solvers.knapsacks import knapsacks
from tests.solving.test_pipeline import OPEN

LIMITS = Limits(time=60)
# Print the options among the arguments that the solver has; in its own process, because highspy and ortools clash.
HAS = {
    "highs": "import highspy, sys; has = highspy.Highs().getOptionType;"
    " print(*(name for name in sys.argv[1:] if has(name)[0] == highspy.HighsStatus.kOk))",
    "cpsat": "import sys; from ortools.sat.sat_parameters_pb2 import SatParameters;"
    " print(*(name for name in sys.argv[1:] if name in SatParameters.DESCRIPTOR.fields_by_name))",
}


@pytest.mark.parametrize("solver", HAS)
def test_the_installed_solver_has_every_option_that_may_be_set(solver):
    done = subprocess.run([sys.executable, "-c", HAS[solver], *ALLOWED[solver]], capture_output=True, text=True)
    assert set(done.stdout.split()) == ALLOWED[solver]


# With each of the first three, the solver proved 13 slots on an instance whose optimum is 12.
@pytest.mark.parametrize(
    ("solver", "name", "reason"),
    [
        ("highs", "mip_feasibility_tolerance", "feasible or integral"),
        ("highs", "objective_bound", "excludes solutions"),
        ("cbc", "increment", "excludes solutions"),
        ("highs", "primal_feasibility_tolerance", "feasible or integral"),
        ("highs", "objective_target", "excludes solutions"),
        ("highs", "small_matrix_value", "changes the model"),
        ("highs", "user_objective_scale", "changes the model"),
        ("highs", "mip_max_improving_sols", "first solution"),
        ("highs", "solver", "integers"),
        ("highs", "read_solution_file", "is unknown, or may change"),
        ("cbc", "incr", "excludes solutions"),
        ("cbc", "INCREMENT", "excludes solutions"),
        ("cbc", "cuto", "excludes solutions"),
        ("cbc", "primalT", "feasible or integral"),
        ("cbc", "zeroTolerance", "feasible or integral"),
        ("cbc", "maxSolutions", "first solution"),
        ("cbc", "RATIOGAP", "is unknown, or may change"),
        ("cpsat", "relative_gap_limit", "within a gap optimal"),
        ("cpsat", "stop_after_first_solution", "first solution"),
        ("cpsat", "fix_variables_to_their_hinted_value", "excludes solutions"),
        ("cpsat", "mip_wanted_precision", "feasible or integral"),
        ("cpsat", "use_ls_only", "is unknown, or may change"),
    ],
)
def test_an_option_that_changes_the_meaning_of_a_bound_is_refused(solver, name, reason):
    with pytest.raises(InputError, match=reason) as caught:
        oas.solve(OPEN, solver=solver, solver_options={name: 1})
    assert (caught.value.field, caught.value.value) == ("solver_options", name)


def test_refused_by_fair_sharing_too():
    with pytest.raises(InputError, match="solver_options: cbc does not take this option here"):
        FairOptions("cbc", solver_options={"increment": 5})


@pytest.mark.parametrize("name", ["mip_rel_gap", "mip_abs_gap"])
def test_a_gap_given_to_highs_ends_the_search_with_a_valid_bound(name):
    apart = 0
    for payload, truth in knapsacks(draws(60)):
        value = 0.3 if name == "mip_rel_gap" else 0.3 * truth
        check_own_options("highs", {name: value}, "options")
        outcome = run(
            Task("tests.solvers.builders:knapsack", payload), Settings("highs", options={name: value}), LIMITS
        )
        assert integer_bound(outcome.bound) <= truth <= round(outcome.objective)
        apart += integer_bound(outcome.bound) < round(outcome.objective)
    assert apart  # otherwise no search ended early


def test_no_bound_of_another_solver_with_an_option_of_unknown_meaning():
    doubtful = oas.solve(OPEN, solver="appsi_highs", solver_options={"mip_feasibility_tolerance": 1e-6})
    assert (doubtful.status, doubtful.objective, doubtful.lower_bound) == (Status.FEASIBLE, 12, 11)
    assert "mip_feasibility_tolerance may change the meaning" in doubtful.message
    harmless = oas.solve(OPEN, solver="appsi_highs", solver_options={"presolve": "on", "mip_rel_gap": 0})
    assert (harmless.status, harmless.lower_bound) == (Status.OPTIMAL, 12)


@pytest.mark.parametrize(
    ("solver", "name", "doubted"),
    [
        ("gurobi", "Threads", False),
        ("gurobi", "TimeLimit", False),
        ("gurobi", "MIPFocus", False),
        ("gurobi", "IntFeasTol", True),
        ("gurobi", "Cutoff", True),
        ("gurobi", "MIPGap", False),
        ("gurobi_direct", "MIPGap", True),
        ("scip", "limits/time", False),
        ("scip", "limits/gap", False),
        ("scip", "numerics/feastol", True),
        ("cplex", "mip_tolerances_mipgap", False),
        ("cplex", "mip_tolerances_uppercutoff", True),
        ("xpress", "miprelstop", False),
        ("xpress", "miprelcutoff", True),
        ("glpk", "mipgap", True),
        ("glpk", "tmlim", False),
    ],
)
def test_options_of_other_solvers_that_are_known_to_be_harmless(solver, name, doubted):
    check_own_options(solver, {name: 1}, "options")
    assert bool(doubtful_options(solver, {name: 1})) is doubted
