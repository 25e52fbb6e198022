"""A share of the agreement benchmark: brute force = every formulation by every solver, on tiny instances."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction as F
from typing import TYPE_CHECKING

import pytest

from benchmarks.agreement.coallocation import optima
from benchmarks.agreement.coallocation.optima import cases, examine, examined_by_all, run
from benchmarks.agreement.participants import AGREED, MISMATCH, TOO_LARGE
from oas.exact.coallocation.brute_force import brute_force
from oas.models.coallocation.reductions import identical_jobs
from oas.problems.coallocation.allocations import jobs_without_allocation
from oas.problems.coallocation.instance import Cluster
from tests.slow import mostly_slow

if TYPE_CHECKING:
    from oas.core.schedule import Schedule

COEFFICIENTS = 2000
CHUNKS, EACH = 7, 5
SMALL = 8  # a seed whose literal model is small
PARTIES = {
    "literal/highs",
    "literal/cbc",
    "start-indexed/highs",
    "start-indexed/cbc",
    "counts/cpsat",
    "pipeline",
    "auto from a poor schedule",
}


@pytest.mark.parametrize("chunk", mostly_slow(range(CHUNKS), quick={2}))
def test_no_mismatch(chunk: int) -> None:
    every = list(run(EACH, seed=1000 * chunk, coefficients=COEFFICIENTS, wild=False))
    assert [one for findings in every for one in findings if one.verdict not in (AGREED, TOO_LARGE)] == []
    assert sum(map(examined_by_all, every)) >= EACH
    for findings in every:
        if examined_by_all(findings):
            assert {one.participant for one in findings if one.verdict == AGREED} >= PARTIES


@pytest.mark.slow
def test_the_instances_cover_what_they_should() -> None:
    seen: Counter[object] = Counter()
    for chunk in range(CHUNKS):
        for instance in (one for seed in range(1000 * chunk, 1000 * chunk + EACH) for one in cases(seed)):
            seen["slot", instance.slot] += 1
            seen["jobs", len(instance.jobs)] += 1
            seen["several powers"] += any(len(set(one.node_powers)) > 1 for one in instance.clusters)
            seen["serial"] += any(job.tasks == 1 for job in instance.jobs)
            seen["identical jobs"] += bool(identical_jobs(instance.scaled()))
            if jobs_without_allocation(instance.scaled()):
                seen["infeasible"] += 1
            else:
                wide = [Cluster(one.id, one.groups, 10**6) for one in instance.clusters]
                seen["links"] += brute_force(instance)[0] > brute_force(replace(instance, clusters=wide))[0]
    assert all(seen["slot", slot] >= 5 for slot in (0, F(1, 2), 1, F(7, 4), 3))
    assert all(seen["jobs", count] >= 3 for count in (1, 2, 3, 4))
    assert seen["several powers"] >= 20 and seen["serial"] >= 10 and seen["identical jobs"] >= 3
    assert seen["infeasible"] >= 3 and seen["links"] >= 5, seen


@pytest.mark.parametrize("error", [F(-1, 10**9), F(1, 10**9)])
def test_a_wrong_optimum_is_seen_by_every_party(monkeypatch, capsys, error: F) -> None:
    def wrong(instance) -> tuple[F, Schedule]:
        optimum, schedule = brute_force(instance)
        return optimum + error, schedule

    monkeypatch.setattr(optima, "brute_force", wrong)
    findings = examine(next(cases(SMALL)), COEFFICIENTS)
    mismatched = {one.participant for one in findings if one.verdict == MISMATCH}
    assert mismatched >= PARTIES
    if error > 0:
        assert mismatched >= {"brute force"}
    assert optima.main(["--count", "1", "--seed", str(SMALL), "--coefficients", "2000"]) == 1
    shown = capsys.readouterr()
    assert "literal/cbc: mismatch: " in shown.err
    assert "start-indexed/highs" in shown.out
