"""A sample of the agreement under slowdown: brute force = models = search over grid moments = pipeline."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction as F
from typing import TYPE_CHECKING

import pytest

from benchmarks.agreement.coallocation import saturation, saturation_relations
from benchmarks.agreement.coallocation.saturation import COUNT, case, examine, main, missing, run, taking
from benchmarks.agreement.participants import AGREED, MISMATCH
from oas.exact.coallocation.saturated.brute_force import brute_force
from tests.slow import mostly_slow

if TYPE_CHECKING:
    from pathlib import Path

    from oas.core.schedule import Schedule
    from oas.problems.coallocation.instance import CoallocationInstance

CHUNKS = (16, 18, 23, 40, 61, 82)  # both sharings, with slots and without, 3 jobs where there are none
PARTIES = {
    "brute force",
    "pipeline",
    "re-check of the best bound",
    "slowdown <= forbid",
    "slowdown >= links without limit",
    "threshold 1 = forbid",
    "no less at a greater threshold",
}


@pytest.mark.parametrize("seed", mostly_slow(CHUNKS, quick={16, 23}))
def test_all_agree(seed: int) -> None:
    [(instance, findings)] = run(1, seed)
    assert [one for one in findings if one.verdict == MISMATCH] == []
    agreed = {one.participant for one in findings if one.verdict == AGREED}
    models = {f"{formulation.name}/{solver}" for formulation, solver in taking(instance)}
    assert {one.participant for one in findings} >= PARTIES | models
    assert agreed >= PARTIES - {"pipeline"} | ({"search over grid moments"} if instance.slot else models)
    assert bool(missing([instance])) == (not models)


def test_the_instances_cover_what_they_should() -> None:
    drawn = [case(seed) for seed in range(COUNT)]
    seen: Counter[object] = Counter()
    for one in drawn:
        own = one.saturation
        seen[bool(one.slot), own.sharing, own.threshold] += 1
        seen["jobs", len(one.jobs), bool(one.slot)] += 1
    assert len({one.digest for one in drawn}) > COUNT * 9 // 10
    limits = (None, F(1, 2), F(3, 4))
    for slotted in (False, True):
        for sharing in ("paper", "max-min"):
            assert min(seen[slotted, sharing, limit] for limit in limits) >= 60, seen
    assert min(seen["jobs", 3, False], seen["jobs", 4, False], seen["jobs", 4, True]) >= 100, seen


@pytest.mark.parametrize("error", mostly_slow([F(-1, 10**9), F(1, 10**3)], quick={F(-1, 10**9)}))
def test_a_wrong_optimum_is_seen_by_every_party(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, error: F
) -> None:
    def wrong(instance: CoallocationInstance) -> tuple[F, Schedule]:
        optimum, schedule = brute_force(instance)
        return optimum + error, schedule

    monkeypatch.setattr(saturation, "brute_force", wrong)
    page = tmp_path / "page.md"
    assert main(["--count", "2", "--seed", "16", "--output", str(page)]) == 1
    shown = capsys.readouterr()
    models = [f"{one.name}/{solver}" for one, solver in taking(case(16))]
    for party in ("brute force", "pipeline", "search over grid moments", *models):
        assert f"{party}: {MISMATCH}: " in shown.err, party
    assert "2 instances; agreed: " in shown.out and f"{MISMATCH}: " in shown.out
    assert "seeds 16 to 17" in page.read_text() and "oas-scheduling" in page.read_text()


@pytest.mark.parametrize(
    ("factor", "relation"),
    [
        (F(1, 2), "slowdown >= links without limit"),
        (F(1, 2), "no more with a wider link"),
        (F(2), "slowdown <= forbid"),
        (F(2), "no less at a greater threshold"),
    ],
)
def test_a_wrong_relation_is_seen(factor: F, relation: str) -> None:
    instance = case(17)
    wrong = brute_force(instance)[0] * factor
    found = [one for one in saturation_relations.relations(instance, wrong) if one.verdict == MISMATCH]
    assert relation in {one.participant for one in found}


def test_beyond_brute_force_nothing_is_compared() -> None:
    instance = case(1)
    jobs = [*instance.jobs, *(type(one)(f"{one.id}+", one.tasks, one.base_time) for one in instance.jobs)]
    [only] = examine(type(instance)(instance.clusters, jobs, 1, "slowdown"))
    assert (only.participant, only.verdict) == ("brute force", "too large")
