"""Files changed in every way that JSON allows: the stand-alone checker and the toolkit come to the same exit code."""

from __future__ import annotations

import json
from fractions import Fraction as F
from typing import Any

import pytest

from oas.checker.answers import read_answer
from oas.checker.files import parse_document
from oas.checker.main import read_instance
from oas.checker.reading import Refused, number_of
from oas.checker.recheck import check_answer
from oas.coallocation.generate.tiny import tiny
from oas.core.errors import InputError, OasError, VerificationError
from oas.core.numbers import exact
from oas.core.result import Claim, Proof, ProofKind, Result, Status, Termination
from oas.io import dumps
from oas.io.reading import loads, loads_any
from oas.mosp.generate.tiny import random_instance
from oas.mosp.local import LOCAL_ORDERS
from oas.solving.lower_bound import best_bound
from oas.solving.parts import exact_parts
from oas.solving.recheck import recheck_result, recheck_schedule
from tests.checker.tampering import tampered
from tests.slow import mostly_slow

MOSP = random_instance(5, reservations=True, releases=True)
SATURATED = tiny(seed=8).with_saturation({"policy": "slowdown", "threshold": F(1, 2), "sharing": "max-min"})


def theirs(instance: bytes, answer: bytes) -> tuple[int, list[str]]:
    try:
        held, given = loads(instance), loads_any(answer)
        if isinstance(given, Result):
            return 0, recheck_result(held, given)
        return 0, recheck_schedule(held, given) if hasattr(given, "placements") else []
    except VerificationError:
        return 3, []
    except InputError as error:
        return (2, []) if error.file else (3, [])
    except OasError:
        return 2, []


def ours(instance: bytes, answer: bytes) -> tuple[int, list[str]]:
    try:
        held, given = read_instance(parse_document(instance)), read_answer(parse_document(answer))
    except Refused:
        return 2, []
    try:
        return 0, check_answer(held, given)
    except Refused:
        return 3, []


def solved(instance: Any) -> Result:
    optimum, schedule = exact_parts(instance).brute_force(instance)
    proof = Proof(
        ProofKind.SOLVER,
        best_bound(instance),
        (Claim("highs", "1", "literal", optimum), Claim("cbc", "1", "literal", optimum, "x=1")),
    )
    termination, known = Termination.FINISHED, {"seconds": {"all": 1.5}, "versions": {"oas": "1"}, "message": "so"}
    return Result(Status.OPTIMAL, termination, schedule, optimum, proof, instance.digest, **known)  # type: ignore[arg-type]


def hold_together(instance: bytes, answer: bytes, changed: str) -> set[int]:
    codes = set()
    for what, other in tampered(json.loads(instance if changed == "instance" else answer), each=1):
        data = json.dumps(other).encode()
        files = (data, answer) if changed == "instance" else (instance, data)
        expected = theirs(*files)
        assert ours(*files) == expected, what
        codes.add(expected[0])
    return codes


@pytest.mark.parametrize("changed", ["instance", "answer"])
@pytest.mark.parametrize(
    "instance", mostly_slow([MOSP, tiny(seed=4), SATURATED], quick=[MOSP]), ids=["mosp", "forbid", "max-min"]
)
def test_changed_documents(instance: Any, changed: str) -> None:
    assert hold_together(dumps(instance), dumps(solved(instance)), changed) == {0, 2, 3}


@pytest.mark.parametrize(
    ("text", "value"),
    [("12e2", F(1200)), ("-1.5E+3", F(-1500)), ("2.5e-3", F(1, 400)), ("0.70", F(7, 10)), ("37/30", F(37, 30))],
)
def test_numbers_in_texts(text: str, value: F) -> None:
    assert number_of(text, "field") == exact(text, "field") == value


def test_changed_schedules() -> None:
    schedule = solved(MOSP).schedule
    assert schedule is not None
    assert hold_together(dumps(MOSP), dumps(schedule), "answer") == {0, 2, 3}


@pytest.mark.parametrize("policy", [None, "nothing", *LOCAL_ORDERS])
def test_local_schedules_by_policy(policy: str | None) -> None:
    for seed in range(12):
        document = json.loads(dumps(random_instance(seed, max_jobs=9, releases=True, reservations=True)))
        document.pop("local", None)
        if policy is not None:
            document["local"] = policy
        if policy == "RND":
            document["seed"] = seed
        data = json.dumps(document).encode()
        if policy == "nothing":
            with pytest.raises(Refused, match="unknown policy"):
                read_instance(parse_document(data))
        else:
            assert read_instance(parse_document(data)).local == loads(data).local
