"""CP-SAT in the pipeline: which formulation it gets, second opinions across families, what does not go together."""

from __future__ import annotations

from dataclasses import replace

import pytest

import oas
from oas.core.errors import InputError, SolverMissingError
from oas.core.result import ProofKind, Status, Termination
from oas.exact import model_run
from oas.exact.options import Options
from oas.exact.pipeline import solve
from oas.exact.start import heuristic_schedules
from oas.models.coallocation import counts_cpsat
from oas.problems.coallocation.problem import COALLOCATION
from oas.problems.coallocation.runs import runs_from_schedule
from oas.problems.mosp.problem import MOSP
from oas.solvers import discovery
from tests.exact.planted import make_known, no_start
from tests.exact.test_pipeline import CLOSED, OPEN


def chosen(**asked: object) -> tuple[str, list[tuple[str, str]]]:
    options = Options(**{"problem": COALLOCATION, **asked})  # type: ignore[arg-type]
    return options.model.name if options.model else "", [(solver, one.name) for solver, one in options.checks]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"solver": "cpsat"}, ("counts", [])),
        ({"solver": "cpsat", "problem": MOSP}, ("cumulative", [])),
        ({"solver": "cpsat", "formulation": "counts"}, ("counts", [])),
        ({"check": ("cpsat",)}, ("start-indexed", [("cpsat", "counts")])),
        ({"check": ("cpsat:counts", "cbc")}, ("start-indexed", [("cpsat", "counts"), ("cbc", "start-indexed")])),
        ({"formulation": "literal", "check": ("cpsat", "cbc")}, ("literal", [("cpsat", "counts"), ("cbc", "literal")])),
        ({"solver": "cpsat", "check": ("highs",)}, ("counts", [("highs", "start-indexed")])),
        ({"solver": "cpsat", "check": ("cbc:literal", "cpsat")}, ("counts", [("cbc", "literal"), ("cpsat", "counts")])),
        ({"formulation": "brute-force", "check": ("cpsat",)}, ("", [("cpsat", "counts")])),
    ],
    ids=str,
)  # fmt: skip
def test_each_solver_gets_a_formulation_it_takes(asked, expected) -> None:
    assert chosen(**asked) == expected


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"solver": "highs", "formulation": "counts"}, "highs takes start-indexed or literal; counts is for cpsat"),
        ({"solver": "cbc", "formulation": "counts"}, "cbc takes start-indexed or literal; counts is for cpsat"),
        ({"solver": "cpsat", "formulation": "literal"}, "cpsat takes counts; literal is for highs, cbc and other MIP"),
        ({"check": ("cpsat:start-indexed",)}, "cpsat takes counts; start-indexed is for highs, cbc"),
        ({"solver": "cpsat", "check": ("highs:counts",)}, "highs takes start-indexed or literal"),
        ({"solver": "cpsat", "formulation": "cumulative"}, "unknown; known: auto, start-indexed, literal, counts"),
    ],
    ids=str,
)
def test_what_does_not_go_together_is_refused_before_any_work(monkeypatch, asked, reason) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a solver was called")

    monkeypatch.setattr(model_run, "run", refuse)
    for instance in (OPEN, CLOSED):
        with pytest.raises(InputError, match=f"{'check' if 'check' in asked else 'formulation'}: {reason}"):
            solve(instance, **asked)


def test_second_opinions_across_families() -> None:
    result = solve(OPEN, solver="cpsat", check=("highs", "cbc:literal"))
    assert (result.status, result.objective, result.formulation) == (Status.OPTIMAL, 12, "counts")
    assert result.proof is not None and result.proof.kind is ProofKind.SOLVER
    claims = [(one.solver, one.formulation) for one in result.proof.claims]
    assert claims == [("cpsat", "counts"), ("highs", "start-indexed"), ("cbc", "literal")]
    assert {"cpsat", "highs", "cbc"} <= set(result.versions)
    assert oas.verify(OPEN, result.schedule) == []


@pytest.mark.parametrize("check", ["highs", "cpsat:counts"])
def test_a_second_opinion_refutes_what_cpsat_wrongly_proved(monkeypatch, check) -> None:
    best = min((schedule for _, schedule in heuristic_schedules(OPEN)), key=lambda schedule: schedule.makespan)
    runs = runs_from_schedule(OPEN, OPEN.scaled(), best)
    lying = replace(
        counts_cpsat.FORMULATION,
        name="lying",
        ticks_of=lambda spec, _: spec.horizon * spec.unit,
        start_values=no_start,
        read=lambda *_: runs,
    )
    make_known(monkeypatch, lying, "lying")
    result = solve(OPEN, solver="cpsat", formulation="lying", check=(check,))
    assert (result.status, result.termination, result.objective) == (Status.FEASIBLE, Termination.ERROR, 12)
    assert "found a schedule shorter than what had been proven" in result.message


@pytest.fixture
def without_ortools(monkeypatch):
    found = discovery.find_spec
    monkeypatch.setattr(discovery, "find_spec", lambda name: None if name == "ortools" else found(name))


@pytest.mark.usefixtures("without_ortools")
def test_without_ortools_everything_else_works() -> None:
    with pytest.raises(SolverMissingError, match="oas-scheduling\\[cpsat\\]"):
        solve(OPEN, solver="cpsat")
    assert solve(OPEN).status is Status.OPTIMAL
