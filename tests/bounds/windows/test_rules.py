"""Each rule of the search by windows removes no schedule of a row, held against all schedules of tiny problems."""

from collections import Counter
from itertools import product
from random import Random

import pytest

from oas.bounds.windows import rules_kernels
from tests.bounds.windows.problems import random_problem
from tests.slow import mostly_slow


def random_row(rows, random):
    """Narrow the windows of row 0, and fix some orders."""
    jobs, modes = rows.first.shape[1:]
    for job, mode in product(range(jobs), range(modes)):
        first, last = rows.first[0, job, mode], rows.last[0, job, mode]
        if first <= last:
            rows.first[0, job, mode] = random.randint(first, last)
            rows.last[0, job, mode] = random.randint(rows.first[0, job, mode] - random.randrange(2), last)
    for job, other in product(range(jobs), repeat=2):
        if job < other and random.random() < 0.15:
            one, then = random.sample((job, other), 2)
            rows.before[0, one, then] = True
        if job < other and random.random() < 0.15:
            rows.separate[0, job, other] = rows.separate[0, other, job] = True


def within(problem, rows, row):
    """The schedules that a row stands for."""
    jobs = range(len(problem.times))
    return {
        one
        for one in problem.schedules
        if all(
            rows.first[row, job, mode] <= start <= rows.last[row, job, mode] for job, (mode, start) in enumerate(one)
        )
        and all(
            (not rows.before[row, job, other] or problem.end(one, job) <= one[other][1])
            and (not rows.separate[row, job, other] or job == other or not problem.overlap(one, job, other))
            for job in jobs
            for other in jobs
        )
    }


def copies(rows):
    """Rows that a rule may change."""
    return rules_kernels.Rows(*(array.copy() for array in rows))


def rule_calls(rules, rows, horizon):
    """Each way to apply each rule: its name, and a function of rows that tells whether they are closed."""
    jobs, modes = rules.times.shape
    intervals = [(begin, end) for begin in range(horizon) for end in range(begin + 1, horizon + 1)]
    for one, (begin, end) in product(range(rules.sizes[0]), intervals):
        for job, mode in product(range(jobs), range(modes)):

            def narrow(own, at=(one, begin, end, job, mode)):
                rules_kernels.narrow_by_energy(rules, own.first[0], own.last[0], *at)
                return not rules_kernels.has_mode(own.first[0], own.last[0], at[3])

            yield "energy", narrow
    for job, mode, other in product(range(jobs), range(modes), range(jobs)):
        if job != other:

            def order(own, at=(job, mode, other)):
                rules_kernels.narrow_by_order(rules, own, 0, *at)
                return not rules_kernels.has_mode(own.first[0], own.last[0], at[0])

            yield "order", order
    for one in range(rules.sizes[1]):
        yield "conflict", lambda own, at=one: rules_kernels.apply_conflict(rules, own, 0, at) < 0


def branchings(rules, rows, horizon):
    """Each branching of row 0, as a function of rows."""
    jobs, modes = rules.times.shape
    for job, other in product(range(jobs), repeat=2):
        if job != other and rules_kernels.are_apart(rules, rows, 0, job, other):
            yield lambda own, at=(job, other): rules_kernels.branch_on_order(own, 0, *at)
    for job, moment in product(range(jobs), range(horizon)):
        yield lambda own, at=(job, moment): rules_kernels.branch_on_starts(own, 0, *at)
    for job, mode in product(range(jobs), range(modes)):
        yield lambda own, at=(job, mode): rules_kernels.branch_on_modes(own, 0, *at)


def effects(seeds):
    """How often each rule narrowed or closed a row, with all schedules kept."""
    counted = Counter()
    for seed in seeds:
        problem, random = random_problem(seed), Random(seed)
        tree = problem.tree()
        rules, table = tree._rules, tree._table
        for _ in range(3):
            rows = rules_kernels.Rows(*(array[:2].copy() for array in table))
            random_row(rows, random)
            before = within(problem, rows, 0)
            for name, rule in rule_calls(rules, rows, problem.horizon):
                own = copies(rows)
                closed = rule(own)
                after = set() if closed else within(problem, own, 0)
                assert before == after, (seed, name)
                counted[name, "closed"] += bool(closed)
                counted[name, "changed"] += any((old != new).any() for old, new in zip(rows, own, strict=True))
            for branching in branchings(rules, rows, problem.horizon):
                own = copies(rows)
                branching(own)
                assert before == within(problem, own, 0) | within(problem, own, 1), seed
    return counted


@pytest.mark.parametrize("seeds", mostly_slow([range(40), range(1000, 1400)], quick=[range(40)]), ids=str)
def test_no_rule_removes_a_schedule(seeds):
    counted = effects(seeds)
    for name in ("energy", "order", "conflict"):
        assert min(counted[name, "closed"], counted[name, "changed"]) > 3, name
