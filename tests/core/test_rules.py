"""The rules of the verifiers: each is found by its name where a mutation breaks it, and they share no code."""

import ast
import inspect
import re
from functools import cache
from random import Random

import pytest

from oas.coallocation import rules as coallocation_rules
from oas.coallocation import slowdown_rules
from oas.core import rigid, verifier
from oas.core.verifier import verify
from oas.fair import rules as fair_rules
from oas.fair import stream_rules
from oas.mosp import rules as mosp_rules
from tests.coallocation.mutations import MUTATIONS as COALLOCATION
from tests.coallocation.naive import naive_accepts as naive_coallocation_accepts
from tests.fair.instances import feasible as feasible_fair
from tests.fair.mutations import MUTATIONS as FAIR
from tests.mosp.instances import feasible as feasible_mosp
from tests.mosp.mutations import MUTATIONS as MOSP
from tests.mosp.naive import naive_mosp_accepts
from tests.slow import draws
from tests.strategies import random_feasible_schedule, random_instance


def feasible_coallocation(seed):
    instance = random_instance(seed, max_jobs=5)
    return instance, random_feasible_schedule(instance, seed)


# By problem: feasible schedules by seed, the mutations, the rules and a checker of whole schedules, if it takes any.
PROBLEMS = {
    "coallocation": (cache(feasible_coallocation), COALLOCATION, coallocation_rules, naive_coallocation_accepts),
    "mosp": (cache(feasible_mosp), MOSP, mosp_rules, naive_mosp_accepts),
    "fair": (cache(feasible_fair), FAIR, fair_rules, None),
}
CASES = [
    pytest.param(problem, *own, id=f"{problem}-{own[1].__name__}")
    for problem, (_, mutations, *_) in PROBLEMS.items()
    for own in mutations
]


@pytest.mark.parametrize(("problem", "rule", "mutation", "alone"), CASES)
def test_mutated_schedules_are_rejected_by_name(problem, rule, mutation, alone):
    feasible, _, _, naive_accepts = PROBLEMS[problem]
    rejected = 0
    for seed in range(5000):
        instance, schedule = feasible(seed)
        broken = mutation(Random(seed), instance, schedule)
        if broken is None:
            continue
        assert verify(instance, schedule) == [], seed
        found = {one.rule for one in verify(*broken)}
        assert found == {rule} if alone else rule in found, seed
        assert naive_accepts is None or not naive_accepts(*broken), seed
        rejected += 1
        if rejected == draws(20):
            return
    pytest.fail(f"only {rejected} mutated schedules")


@pytest.mark.parametrize("problem", PROBLEMS)
def test_every_rule_is_mutated_and_documented(problem):
    _, mutations, rules, _ = PROBLEMS[problem]
    source = "".join(inspect.getsource(module) for module in (verifier, rigid, rules))
    names = set(re.findall(r'Violation\(\s*"(\w+)"', source)) - ({"missing_job"} if problem == "fair" else set())
    assert names == {rule for rule, _, alone in mutations if alone}
    documented = inspect.getdoc(verifier.Violation) or ""
    assert all(f"``{name}``" in documented for name in names)


@pytest.mark.parametrize("rules", [coallocation_rules, slowdown_rules, mosp_rules, fair_rules, stream_rules])
def test_they_share_no_code_with_what_they_check(rules):
    """The duplicate of durations, equation (4), deadlines and capacity is deliberate: no import may replace it."""
    tree = ast.parse(inspect.getsource(rules))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    own = rules.__name__.rpartition(".")[0]
    allowed = {f"{own}.{name}" for name in ("instance", "slowdown_rules")}
    allowed |= {"oas.core.registry", "oas.core.rigid"}
    if rules is stream_rules:  # it checks arrays of starts
        allowed.add(f"{own}.ticks")
    core = {f"oas.core.{name}" for name in ("errors", "numbers", "problem", "schedule", "verifier")}
    core.add("oas.queueing.stream")
    assert {name for name in imported if name.startswith("oas.")} <= allowed | core
    derived = {"scaled", "deadlines", "local_makespans", "owner"}
    if rules is not stream_rules:
        assert not derived & {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
