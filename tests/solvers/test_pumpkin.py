"""The adapter of Pumpkin, and its proofs as the checker reads them."""

from __future__ import annotations

import os
import signal
import threading
from itertools import product
from random import Random

import pytest

import oas
from oas.core.errors import InputError
from oas.core.result import ProofKind, Termination
from oas.mosp.generate.tiny import random_instance
from oas.mosp.models.axis_pumpkin import FORMULATION as AXIS
from oas.solvers.drcp import Proof, UnknownStepError
from oas.solvers.isolation.client import run
from oas.solvers.known import preflight
from oas.solvers.known.known_pumpkin_models import BUILDER, MODELS
from oas.solvers.pumpkin import PumpkinTask, Question, Resource
from oas.solvers.task import Limits, Settings, Task
from oas.solving.brute_force import brute_force
from oas.solving.model_run import Question as ModelQuestion
from oas.solving.model_run import decide
from oas.solving.recheck import recheck, recheck_result

PUMPKIN = Settings("pumpkin")
LIMITS = Limits(time=600)

PROOF = """\
a 1 [s0 >= 1]
a 2 [s1 >= 3]
i 1 1 0 2 c:1 l:time_table
i 2 0 -2 l:initial_domain
n 3 1 0 2 1
i 4 0 -1 c:3 l:nogood
i 5 -1 0 c:1 l:time_table
n 6 0 4 5
c UNSAT
"""


def translated(text: str, jobs: int = 2) -> bytes:
    return Proof(text.splitlines(keepends=True), jobs).steps()


def test_a_proof_becomes_clauses_and_hints() -> None:
    push_0, push_1, last = 0, 2, 4
    clause = bytes([1, 0, 1, 1, push_1])
    assert translated(PROOF) == clause + bytes([0, 2, last, push_0])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("c UNSAT\n", "", "ends without a contradiction"),
        ("n 6 0 4 5\n", "", "ends without a contradiction"),
        ("l:time_table\ni 2", "l:edge_finding\ni 2", "unknown label edge_finding"),
        ("a 1 [s0 >= 1]", "a 1 [s0 <= -1]", "an atom below all starts"),
        ("n 3 1 0 2 1", "x 3 1 0 2 1", "unknown kind x"),
        ("a 2 [s1 >= 3]", "a 2 [s1 == 3]", "excludes a start"),
    ],
)
def test_proofs_that_cannot_be_translated(old: str, new: str, message: str) -> None:
    assert old in PROOF
    with pytest.raises(UnknownStepError, match=message):
        translated(PROOF.replace(old, new))


def test_inferences_from_a_fixed_start_are_repeated_because_their_premises_may_come_later() -> None:
    """Pumpkin lists what follows from s0 = 1 before one of the two bounds of s0."""
    proof = PROOF.replace("i 1 1 0 2 c:1", "a 3 [s0 == 1]\ni 1 3 0 2 c:1")
    clause = bytes([1, 0, 1, 2, push_1 := 2, push_1])
    assert translated(proof).startswith(clause)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.name)
def test_known_models_have_the_stated_optimum(model) -> None:
    def feasible(starts: tuple[int, ...]) -> bool:
        if any(starts[first] > starts[second] for first, second in model.orders):
            return False
        runs = [range(start, start + length) for start, length in zip(starts, model.times, strict=True)]
        for jobs, demands, loads, capacity in model.resources:
            for moment in range(end):
                used = sum(demand for job, demand in zip(jobs, demands, strict=True) if moment in runs[job])
                if used + sum(demand for begin, until, demand in loads if begin <= moment < until) > capacity:
                    return False
        return True

    for end in (int(model.optimum) - 1, int(model.optimum)):
        ranges = [range(end - length + 1) for length in model.times]
        assert any(map(feasible, product(*ranges))) == (end == model.optimum)


pumpkin = pytest.mark.skipif(not oas.solvers.discovery.usable("pumpkin"), reason="Pumpkin is not installed")


@pumpkin
def test_preflight_is_passed() -> None:
    assert [(check.model, check.ok) for check in preflight("pumpkin")] == [(model.name, True) for model in MODELS]


@pumpkin
@pytest.mark.parametrize(
    ("first", "count"), [(0, 4), *(pytest.param(first, 5, marks=pytest.mark.slow) for first in (4, 20))]
)
def test_optima_of_random_instances_have_certificates(first: int, count: int) -> None:
    for seed in range(first, first + count):
        instance = random_instance(seed, max_jobs=6)
        result = oas.solve(instance, solver="pumpkin", bounds=False, on_interrupt="return")
        assert result.objective == result.lower_bound == brute_force(instance)[0], seed
        assert result.proof.kind is ProofKind.CERTIFICATE and result.proof.bound.name == "proof log", seed
        assert recheck_result(instance, result)


@pumpkin
def test_a_long_refutation_with_reservations_is_confirmed() -> None:
    """A thousand clauses, some of which use that a start is fixed."""
    instance = oas.generate.reservations(seed=742012802, processors=128)
    question = ModelQuestion(AXIS, 1, PUMPKIN)
    answer = decide(instance, question, 147, 148, LIMITS)
    assert answer.certified is not None and answer.certified.value == 148
    assert recheck(instance, answer.certified)


@pumpkin
def test_the_proof_file_is_kept(tmp_path) -> None:
    instance = random_instance(1)
    path = tmp_path / "proof.drcp"
    result = oas.solve(instance, solver="pumpkin", bounds=False, proof_file=path, on_interrupt="return")
    assert result.proof.kind is ProofKind.CERTIFICATE
    assert path.read_text().endswith("c UNSAT\n")
    with pytest.raises(InputError, match="only solvers pumpkin and exact write proofs"):
        oas.solve(instance, solver="highs", proof_file=path)


@pumpkin
def test_a_proof_file_that_cannot_be_written_costs_no_certificate(tmp_path) -> None:
    path = tmp_path / "missing" / "proof.drcp"
    result = oas.solve(random_instance(1), solver="pumpkin", bounds=False, proof_file=path, on_interrupt="return")
    assert result.proof.kind is ProofKind.CERTIFICATE
    assert f"the proof cannot be written to {path}: No such file" in result.message


@pumpkin
def test_a_time_limit_ends_the_search() -> None:
    outcome = run(Task("tests.solvers.test_pumpkin:build_hard", None), PUMPKIN, Limits(time=3))
    assert outcome.termination is Termination.TIME_LIMIT
    assert outcome.bound is None and outcome.certificate is None


@pumpkin
def test_ctrl_c_ends_the_search() -> None:
    timer = threading.Timer(4, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    outcome = run(Task("tests.solvers.test_pumpkin:build_hard", None), PUMPKIN, LIMITS)
    assert outcome.termination is Termination.INTERRUPTED


def build_hard(_: object):
    """Return a model whose optimum Pumpkin does not prove within any time that a test has."""
    draw = Random(5)
    times, widths = [draw.randint(1, 40) for _ in range(40)], [draw.randint(1, 12) for _ in range(40)]
    jobs = list(range(40))
    area = sum(length * width for length, width in zip(times, widths, strict=True)) // 16

    def values(_: int, starts):
        return {("makespan", ()): max(start + one for start, one in zip(starts, times, strict=True))}

    def question(makespan: int) -> Question:
        return Question(makespan, times, [Resource(jobs, widths, [], 16)], [])

    return PumpkinTask(question, values, ("makespan", ()), 2 * area, 0)


@pumpkin
def test_options_that_do_not_exist() -> None:
    with pytest.raises(InputError, match="pumpkin takes none"):
        run(Task(BUILDER, "orders"), Settings("pumpkin", options={"timeout": 3}), LIMITS)
