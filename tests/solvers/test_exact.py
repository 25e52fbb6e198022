"""The adapter of Exact, and its proofs as the checker reads them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random

import pytest

import oas
from oas.coallocation.generate.tiny import tiny
from oas.core.errors import InputError
from oas.core.result import ProofKind, Termination
from oas.solvers.exact import ExactTask, Question, row_of
from oas.solvers.isolation.client import run
from oas.solvers.known import preflight
from oas.solvers.known.known_exact_models import BUILDER, MODELS
from oas.solvers.proof_steps import UnknownStepError
from oas.solvers.task import Limits, Settings, Task
from oas.solvers.veripb import ADD, ADD_LITERALS, DIVIDE, KEEP, MULTIPLY, SATURATE, Proof
from oas.solving.brute_force import brute_force
from oas.solving.recheck import recheck_result

PROOF = """\
pseudo-Boolean proof version 1.1
rup >= 0 ;
l 1
l 2
pol 2 x1 3 * + 3 2 * +
pol 2 3 +
pol 4 ~x2 + 2 d 3 x1 + 2 d s + x3 + x1 +
c 6
"""


def translated(text: str, rows: int = 2) -> bytes:
    return Proof(text.splitlines(keepends=True), rows).steps()


def test_a_proof_becomes_steps_and_registers() -> None:
    first = [ADD, 1, 0, 0, ADD, 2, 0, 1, ADD_LITERALS, 3, 0, 1, 0, KEEP, 0]
    part = [ADD, 1, 0, 1, ADD_LITERALS, 1, 0, 1, 0, DIVIDE, 2, 0, SATURATE, KEEP, 1]
    last = [ADD, 1, 0, 2, ADD_LITERALS, 1, 0, 1, 3, DIVIDE, 2, 0, ADD, 1, 0, 3, ADD_LITERALS, 1, 0, 2, 0, 4, KEEP, 1]
    assert translated(PROOF) == bytes([*first, *part, *last])
    assert translated(PROOF.replace("c 6", "c 3")) == bytes([ADD, 1, 0, 1, KEEP, 0])
    multiplied = translated(PROOF.replace("pol 2 3 +\n", "pol 2 3 + 7 *\n").replace("c 6", "c 5"))
    assert multiplied == bytes([ADD, 1, 0, 0, ADD, 1, 0, 1, MULTIPLY, 7, 0, KEEP, 0])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("c 6\n", "", "ends without a contradiction"),
        ("pol 2 3 +\n", "red 2 3 +\n", "unknown kind red"),
        ("pol 2 x1", "rup 2 x1", "uses a step of the unknown kind rup"),
        ("3 2 *", f"3 {2**112} *", "more than 56 bits"),
    ],
)
def test_proofs_that_cannot_be_translated(old: str, new: str, message: str) -> None:
    assert old in PROOF
    with pytest.raises(UnknownStepError, match=message):
        translated(PROOF.replace(old, new))


def test_numbers_that_are_not_integers_are_refused() -> None:
    for number in (Fraction(1, 2), 1.0, Fraction(1), True):
        with pytest.raises(InputError, match="integer rows only"):
            row_of({0: number}, 1)  # type: ignore[dict-item]
        with pytest.raises(InputError, match="integer rows only"):
            row_of({0: 1}, number)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["cover", "pigeons"])
def test_known_models_have_the_stated_optimum(name: str) -> None:
    (model,) = (one for one in MODELS if one.name == name)
    if model.optimum is None:  # 5 · 4 variables are too many to enumerate: each row of a pigeon needs its own hole
        holes = [[variable % 4 for _, variable in row.terms] for row in model.rows if row.least == 1]
        assert len(holes) == 5 and all(own == list(range(4)) for own in holes)
        return
    best = min(
        sum(cost * value for cost, value in zip(model.costs, values, strict=True))
        for values in product((0, 1), repeat=len(model.costs))
        if all(sum(term * values[variable] for term, variable in row.terms) >= row.least for row in model.rows)
    )
    assert best == model.optimum


exact = pytest.mark.skipif(not oas.solvers.discovery.usable("exact"), reason="Exact is not installed")


@exact
def test_preflight_is_passed() -> None:
    assert [(check.model, check.ok) for check in preflight("exact")] == [(model.name, True) for model in MODELS]


@exact
@pytest.mark.parametrize(
    ("first", "count"), [(0, 4), *(pytest.param(first, 6, marks=pytest.mark.slow) for first in (4, 20))]
)
def test_optima_of_random_instances_have_certificates(first: int, count: int) -> None:
    for seed in range(first, first + count):
        instance = tiny(seed=seed, jobs=5)
        result = oas.solve(instance, solver="exact", bounds=False, on_interrupt="return")
        assert result.objective == result.lower_bound == brute_force(instance)[0], seed
        assert result.proof.kind is ProofKind.CERTIFICATE and result.proof.bound.name == "proof log", seed
        assert recheck_result(instance, result)


@exact
def test_the_proof_file_and_its_rows_are_kept(tmp_path) -> None:
    path = tmp_path / "proof.pbp"
    result = oas.solve(tiny(seed=1), solver="exact", bounds=False, proof_file=path, on_interrupt="return")
    assert result.proof.kind is ProofKind.CERTIFICATE
    assert path.read_text().startswith("pseudo-Boolean proof version")
    assert path.with_suffix(".pbp.formula").read_text().startswith("min: ;")


@exact
def test_a_time_limit_ends_the_search() -> None:
    outcome = run(Task("tests.solvers.test_exact:build_hard", None), Settings("exact"), Limits(time=3))
    assert outcome.termination is Termination.TIME_LIMIT
    assert outcome.bound is None and outcome.certificate is None


def build_hard(_: object) -> ExactTask:
    """Return a model that Exact does not solve within any time that a test has: market splits."""
    draw = Random(5)
    rows = []
    for _ in range(6):
        terms = {variable: draw.randint(1, 999) for variable in range(60)}
        half = sum(terms.values()) // 2
        rows += [row_of(terms, half), row_of({variable: -term for variable, term in terms.items()}, -half)]

    def question(_: int) -> Question:
        return Question(60, rows)

    return ExactTask(question, lambda _, chosen: {("makespan", ()): len(chosen)}, ("makespan", ()), 60, 0)


@exact
def test_options_that_do_not_exist() -> None:
    with pytest.raises(InputError, match="exact takes none"):
        run(Task(BUILDER, "cover"), Settings("exact", options={"timeout": 3}), Limits(time=600))
