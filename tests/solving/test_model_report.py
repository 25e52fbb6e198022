"""The report of a model's run, the solver's own log, gaps of named solvers, and models without the toolkit's bounds."""

import json
import os
import signal
import subprocess
import time
from fractions import Fraction as F
from random import Random

import pytest
from pyomo.core.base.constraint import Constraint
from pyomo.repn import generate_standard_repn

import oas
from oas.checker.answers import read_answer
from oas.checker.files import parse_document
from oas.checker.main import read_instance
from oas.checker.recheck import check_answer
from oas.core.errors import InputError
from oas.core.result import ProofKind, Status, Termination
from oas.io import dumps
from oas.io.reading import loads_any
from oas.mosp.generate.section7 import uni
from oas.solvers.cbc_text import CbcLog
from oas.solvers.isolation.client import call
from oas.solvers.task import Limits, function_at
from oas.solving import stages
from oas.solving.formulation import STRENGTHEN, find_formulation
from oas.solving.model_run import ModelTimes, solver_gaps, strengthened
from oas.solving.parts import exact_parts
from oas.solving.pipeline import solve
from tests.commands import OAS, environment
from tests.mosp.instances import random_instance as random_mosp
from tests.slow import at_least, draws, mostly_slow
from tests.solving.planted import Always, best_heuristic, leave_the_list_schedule, make_known, planted
from tests.solving.test_pipeline import CLOSED, INFEASIBLE, MET_BY_BOUND, OPEN, two_nodes
from tests.strategies import random_instance

SOLVERS = ["highs", "cbc", "cpsat"]
BANNERS = {"highs": "Running HiGHS 1.", "cbc": "Welcome to the CBC MILP Solver", "cpsat": "Starting CP-SAT solver v"}
HARD = oas.generate.section4(jobs=8, slot_percent=10, bandwidth="tight", seed=3)  # no solver proves it at once


def built(formulation, horizon, bound):
    known = find_formulation(formulation, MET_BY_BOUND.problem, MET_BY_BOUND)
    spec = known.prepare(
        MET_BY_BOUND, MET_BY_BOUND.scaled(), *map(ModelTimes(known, MET_BY_BOUND).given, (F(horizon), F(bound)))
    )
    if known.tighten is not None:
        spec = call(STRENGTHEN, (known.tighten, spec), Limits()).value
    return function_at(known.builder, "builder")(strengthened(known, spec))


@pytest.mark.parametrize("solver", ["highs", "cbc"])
@pytest.mark.parametrize("formulation", ["start-indexed", "literal"])
def test_the_size_is_that_of_the_model(solver, formulation):
    result = solve(MET_BY_BOUND, solver=solver, formulation=formulation, bounds=False)
    model, report = built(formulation, 7, 0), result.model
    rows = list(model.component_data_objects(Constraint, active=True))
    bodies = [generate_standard_repn(row.body, quadratic=False) for row in rows]
    used = {id(variable) for body in bodies for variable in body.linear_vars}
    assert (report.rows, report.columns) == (len(rows), len(used))
    assert report.nonzeros == sum(len(body.linear_vars) for body in bodies)
    assert report.presolved_rows < report.rows and report.presolved_columns <= report.columns
    assert (report.solver, report.formulation, report.version) == (solver, formulation, result.versions[solver])
    assert report.threads == 1 and report.limits == {} and report.iterations >= 0 and report.nodes >= 0
    assert 0 < report.build_seconds < report.first_seconds <= report.best_seconds < report.seconds
    bounds = [bound for bound in (report.lp_bound, report.root_bound) if bound is not None]
    assert report.reductions[-1] == "No job ends after 7, the makespan of a known schedule."
    assert bounds == sorted(bounds) and all(bound <= 6 for bound in bounds)


def test_cpsat_reports_its_own_counts_and_nothing_else():
    report = solve(OPEN, solver="cpsat", bounds=False).model
    assert report.rows > 0 and report.columns > 0 and report.conflicts >= 0
    assert {report.nonzeros, report.presolved_rows, report.lp_bound, report.root_bound, report.nodes} == {None}


def test_the_lp_bound_is_a_makespan():
    # The nodes have 47 units of work. A solver whose presolve solves the model reports none.
    for solver, least in (("highs", 0), ("cbc", 1)):
        report = solve(two_nodes(7, 7, 6, 6, 5, 5, 4, 4, 3), solver=solver, bounds=False).model
        bounds = [bound for bound in (report.lp_bound, report.root_bound) if bound is not None]
        assert bounds == [24] * len(bounds) and len(bounds) >= least


def test_options_and_limits_that_were_used_are_recorded():
    given = {"time_limit": 50, "memory_limit": "4 GB", "seed": 7, "bounds": False}
    report = solve(OPEN, solver="highs", threads=2, solver_options={"presolve": "off"}, **given).model
    assert report.threads == 2 and report.limits["memory"] == 4e9 and 0 < report.limits["time"] < 50
    assert report.options["presolve"] == "off" and report.options["threads"] == "2"
    assert report.options["random_seed"] == "7" and 0 < float(report.options["time_limit"]) < 50
    assert report.presolved_rows is None  # presolve is off
    report = solve(OPEN, solver="cbc", solver_options={"cuts": "off"}, **given).model
    assert report.options["cuts"] == "off" and report.options["randomSeed"] == "8" and report.cuts is None
    assert 0 < float(report.options["seconds"]) < 50


def test_a_solve_without_a_model_has_no_report(tmp_path):
    log = tmp_path / "log"
    for instance in (CLOSED, INFEASIBLE):
        result = solve(instance, solver_log=log)
        assert result.model is None and result.message.endswith("no model ran, so there is no solver log")
    assert log.read_text() == ""
    assert solve(CLOSED, solver="highs").closed_by == "the toolkit's own schedule and bound, without a model"
    assert solve(OPEN, formulation="brute-force").closed_by == "enumeration"


def test_the_report_says_whose_schedule_and_bound_closed_the_instance(monkeypatch):
    leave_the_list_schedule(monkeypatch)
    assert solve(MET_BY_BOUND, solver="highs").closed_by == "schedule of the model, bound of the toolkit"
    assert solve(OPEN, solver="highs").closed_by == "schedule and bound of the model"
    best = solve(OPEN).schedule
    assert solve(OPEN, solver="highs", start=best).closed_by == "schedule of the toolkit, bound of the model"
    assert solve(MET_BY_BOUND, solver="cbc", time_limit=1e-9).closed_by == ""


@pytest.mark.parametrize("solver", SOLVERS)
def test_files_keep_the_report_and_those_without_one_are_read(solver):
    result = solve(OPEN, solver=solver, bounds=False)
    data = dumps(result)
    assert loads_any(data) == result and json.loads(data)["model"]["rows"] == result.model.rows
    assert any("optimal" in line for line in check_answer(*checked(OPEN, data)))
    document = json.loads(data)
    del document["model"]
    old = json.dumps(document).encode()
    assert loads_any(old).model is None and check_answer(*checked(OPEN, old))
    assert "model" not in json.loads(dumps(solve(CLOSED)))
    document["model"] = {"formulation": "literal", "solver": "a", "version": "1", "lp_bound": "7/2"}
    report = loads_any(json.dumps(document).encode()).model
    assert (report.lp_bound, report.rows, report.options) == (F(7, 2), None, {})
    for field, value in (("rows", "x"), ("options", 3), ("formulation", "\x1b[2J"), ("reductions", ["\x07"])):
        changed = {**document, "model": {**document["model"], field: value}}
        with pytest.raises(InputError) as caught:
            loads_any(json.dumps(changed).encode())
        assert caught.value.field.startswith(f"model.{field}")


def checked(instance, answer):
    return read_instance(parse_document(dumps(instance))), read_answer(parse_document(answer))


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_log_of_a_solver_is_appended_to_a_file(solver, tmp_path):
    log = tmp_path / "solver.log"
    for count in (1, 2):
        result = solve(OPEN, solver=solver, bounds=False, solver_log=log)
        text = log.read_text()
        assert text.count(f"--- {solver}, {result.formulation}, ") == count <= text.count(BANNERS[solver])
    assert "solver_log" not in result.options


def test_auto_logs_every_model_that_is_solved(tmp_path):
    log = tmp_path / "solver.log"
    solve(OPEN, check=("cbc", "highs:literal"), solver_log=log)
    text = log.read_text()
    assert BANNERS["cbc"] in text and BANNERS["highs"] in text
    assert "--- highs, literal" in text and "--- cbc, start-indexed" in text


@pytest.mark.parametrize("path", ["no/such/folder/log", "", 3, "."])
def test_a_log_that_cannot_be_written_is_a_mistake(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        solve(OPEN, solver_log=path)
    assert caught.value.field == "solver_log"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_costs_the_log_and_not_the_solve():
    result = solve(OPEN, solver="cbc", solver_log="/dev/full")
    assert result.status is Status.OPTIMAL
    assert "the solver log is incomplete: No space left on device" in result.message


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["highs", "cbc"])
def test_a_time_limit_leaves_the_log_and_the_report(solver, tmp_path, monkeypatch):
    make_known(monkeypatch, planted("endless", Always(0), best_heuristic), "planted")
    log = tmp_path / "solver.log"
    result = solve(OPEN, solver=solver, formulation="planted", time_limit=10, solver_log=log)
    assert result.termination is Termination.TIME_LIMIT and result.model.rows > 0
    assert BANNERS[solver] in log.read_text()


@pytest.mark.parametrize("solver", mostly_slow(SOLVERS, quick=["cpsat"]))
def test_an_interrupted_solve_leaves_the_log_and_the_report(solver, folder):
    oas.save(HARD, folder / "hard.json")
    log = folder / "solver.log"
    command = ["solve", "hard.json", "--solver", solver, "--no-bounds", "--solver-log", "solver.log", "--json"]
    process = subprocess.Popen(
        [*OAS, *command], cwd=folder, env=environment(folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    end, at_work = (
        time.monotonic() + 60,
        {"highs": "Presolving model", "cbc": "Presolve ", "cpsat": "Starting presolve"},
    )
    while time.monotonic() < end and not (log.exists() and at_work[solver] in log.read_text()):
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 130 and BANNERS[solver] in log.read_text()
    document = json.loads(printed)
    assert document["termination"] == "interrupted" and document["model"]["rows"] > 0


def test_the_command_prints_model_and_run_and_its_log_to_stderr(folder, run_here):
    oas.save(OPEN, folder / "open.json")
    done = run_here("solve", "open.json", "--solver", "cbc", "--no-bounds", "--solver-log", "-", "--output", "r.json")
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [line[0] for line in lines if line and line[0] in ("model", "run", "closed")] == ["model", "run", "closed"]
    report = json.loads((folder / "r.json").read_text())["model"]
    assert f"start-indexed: {report['rows']:,} rows, {report['columns']:,} columns, " in done.stdout
    assert BANNERS["cbc"] in done.stderr and BANNERS["cbc"] not in done.stdout
    assert run_here("verify", "open.json", "r.json").returncode == 0
    refused = run_here("solve", "open.json", "--no-bounds")
    assert refused.returncode == 2 and "--no-bounds: the search of solver auto needs them" in refused.stderr


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_model_without_bounds_gets_neither_bound_nor_schedule(solver, monkeypatch):
    monkeypatch.setattr(stages, "usable", lambda name: name in SOLVERS)  # no proof log takes the place of claims
    reports = []
    result = solve(CLOSED, solver=solver, bounds=False, on_progress=reports.append)
    assert (result.status, result.objective) == (Status.OPTIMAL, 5)
    assert result.schedule.method == result.model.source == f"{solver} on {result.formulation}"
    assert result.proof.kind is ProofKind.SOLVER and result.proof.bound is None
    before = [one for one in reports if one.stage in ("start", "")]
    assert before and all((one.lower_bound, one.objective) == (None, None) for one in before)
    assert not any(one.stage == "bounds" for one in reports) and "bounds" not in result.seconds
    assert "the model has the horizon 5, by FCFS" in result.message


def test_a_named_solver_begins_with_a_schedule_of_the_local_search_unless_it_gets_none():
    instance = uni(seed=132, jobs=8, organizations=2, processors=4)
    result = solve(instance, solver="highs")
    assert (result.status, result.objective, result.schedule.method) == (Status.OPTIMAL, 50, "local search")
    assert oas.model(instance).horizon == 50
    alone = solve(instance, solver="highs", bounds=False, time_limit=1)
    assert "the model has the horizon 66, by FCFS" in alone.message and "local search" not in alone.seconds


def test_without_bounds_and_without_time_there_is_no_schedule_and_no_bound():
    result = solve(OPEN, solver="highs", bounds=False, time_limit=1e-9)
    assert (result.status, result.termination) == (Status.NO_SOLUTION, Termination.TIME_LIMIT)
    assert result.schedule is result.lower_bound is result.proof is None
    assert loads_any(dumps(result)) == result


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"bounds": False}, "bounds: the search of solver auto needs them"),
        ({"bounds": False, "formulation": "brute-force"}, "bounds: enumeration needs them"),
        ({"bounds": 0, "solver": "highs"}, "bounds: must be True or False"),
        ({"gap": 1, "formulation": "brute-force"}, "gap: enumeration has none"),
    ],
    ids=str,
)
def test_options_that_cannot_take_effect_are_refused(asked, reason):
    with pytest.raises(InputError, match=reason):
        solve(OPEN, **asked)
    with pytest.raises(InputError, match="start: does not go with a model that gets no schedule"):
        solve(OPEN, solver="highs", bounds=False, start=solve(CLOSED))


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_gap_is_kept_exactly_by_named_solvers(solver):
    feasible = 0
    for seed in range(draws(30)):
        instance = random_mosp(seed) if seed % 3 == 0 else random_instance(seed)
        if exact_parts(instance).unplaceable(instance):
            continue
        optimum, _ = exact_parts(instance).brute_force(instance)
        gap = Random(seed).choice([F(1, 20), F(1, 10), F(1, 4), F(1, 2), F(1)])
        result = solve(instance, solver=solver, gap=gap, bounds=seed % 4 == 0, seed=seed)
        assert result.lower_bound <= optimum <= result.objective <= (1 + gap) * result.lower_bound, seed
        assert (result.status is Status.OPTIMAL) == (result.objective == result.lower_bound)
        if result.status is Status.FEASIBLE:
            feasible += 1
            assert "within the gap asked for" in result.message and "not proven" not in result.message
    assert feasible >= at_least(1)


def test_a_solver_stops_at_the_gap():
    instance = two_nodes(7, 7, 6, 6, 5, 5, 4, 4, 3)
    exact, within = (solve(instance, solver="highs", bounds=False, gap=gap, time_limit=60) for gap in (0, "40%"))
    assert exact.status is Status.OPTIMAL
    assert within.lower_bound <= exact.objective <= within.objective <= F(7, 5) * within.lower_bound
    assert float(within.model.options["mip_rel_gap"]) > 0 == float(exact.model.options["mip_rel_gap"])
    assert within.model.iterations < exact.model.iterations


class Uneven:
    """A formulation with these attainable makespans."""

    continuous = False

    def __init__(self, times):
        self.times = times

    def ticks_of(self, _spec, objective):
        return self.times[min(max(objective, 0), len(self.times) - 1)]


def test_a_solver_that_stops_at_its_gap_has_a_makespan_within_the_gap():
    for seed in range(200):
        rng = Random(seed)
        times = sorted(rng.sample(range(rng.choice((1, 50)), 120), rng.randint(2, 12)))
        gap = F(rng.randint(1, 30), rng.choice((10, 100)))
        relative, slack = solver_gaps(Uneven(times), None, times[-1], gap)
        for bound in range(len(times)):
            for objective in range(bound, len(times)):
                stops = objective - bound <= slack or (objective - bound) <= relative * objective
                assert not stops or times[objective] <= (1 + gap) * times[bound], seed
    assert solver_gaps(Uneven([1, 2]), None, 2, 0) == (0.0, 0)


def test_sizes_in_the_log_of_cbc():
    report = {}
    log = CbcLog(report)
    for line in (
        "Continuous objective value is 10.2342 - 0.02 seconds",
        "Cgl0004I processed model has 120 rows, 930 columns (930 integer (930 of which binary)) and 20001 elements",
        "Cgl0004I processed model has 2 rows, 3 columns (3 integer (3 of which binary)) and 4 elements",
        "Cbc0013I At root node, 38 cuts changed objective from 10.234 to 11.5148299 in 14 passes",
        "Enumerated nodes:               338",
        "Total iterations:               20320",
    ):
        log.read(line)
    sizes = report["presolved_rows"], report["presolved_columns"], report["presolved_nonzeros"]
    assert sizes == (120, 930, 20001)
    assert 10.2341 < report["lp_bound"] < 10.2342 and 11.514 < report["root_bound"] < 11.5149
    assert (report["cuts"], report["nodes"], report["iterations"]) == (38, 338, 20320)
