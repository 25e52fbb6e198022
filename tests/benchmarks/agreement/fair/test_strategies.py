"""Manipulations of jobs: what is presented, what is counted, and that ψ_sp in a fixed schedule never pays."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from benchmarks.agreement.fair import strategies
from benchmarks.agreement.fair.strategies import (
    IN_TURN,
    STRATEGIES,
    Found,
    Tally,
    fixed,
    in_turn,
    main,
    on_line,
    presented,
    study,
    value,
)
from oas.problems.fair.instance import FairInstance
from oas.problems.rigid import Organization, RigidJob
from tests.slow import mostly_slow


def own(*jobs: tuple[int, int, int]) -> Organization:
    """An organization of two processors with jobs of (time, processors, release)."""
    return Organization("A", 2, [RigidJob(f"a{n}", *job) for n, job in enumerate(jobs)])


def shown(found: strategies.Presented | None) -> list[tuple[int, int, int, int]]:
    assert found is not None
    pairs = zip(found.jobs, found.real, strict=True)
    return [(int(job.time), job.processors, int(job.release), real) for job, real in pairs]


JOBS = own((5, 1, 0), (2, 1, 3), (4, 2, 3))


@pytest.mark.parametrize(
    ("strategy", "chosen", "expected"),
    [
        ("split", {0}, [(2, 1, 0, 2), (3, 1, 0, 3), (2, 1, 3, 2), (4, 2, 3, 4)]),
        ("merge", {0}, [(7, 1, 3, 7), (4, 2, 3, 4)]),
        ("merge", {0, 1, 2}, [(7, 1, 3, 7), (4, 2, 3, 4)]),
        ("delay", {1}, [(5, 1, 0, 5), (2, 1, 4, 2), (4, 2, 4, 4)]),
        ("pad", {0, 2}, [(6, 1, 0, 5), (2, 1, 3, 2), (5, 2, 3, 4)]),
    ],
)
def test_what_is_presented(strategy: str, chosen: set[int], expected: list[tuple[int, int, int, int]]) -> None:
    assert shown(presented(JOBS, strategy, chosen)) == expected


def test_what_changes_nothing() -> None:
    assert presented(own((1, 1, 0)), "split", {0}) is None
    assert presented(JOBS, "merge", {1}) is None  # the next one is wider
    assert presented(JOBS, "merge", {2}) is None  # it is the last
    assert in_turn(JOBS, 0, -1) is None
    assert in_turn(own((1, 1, 0)), 0, 4) is None


def test_the_second_piece_in_turn_comes_behind_what_was_presented_before() -> None:
    assert shown(in_turn(JOBS, 0, 4)) == [(2, 1, 0, 2), (2, 1, 3, 2), (4, 2, 3, 4), (3, 1, 6, 3)]
    assert shown(in_turn(JOBS, 0, 0)) == [(2, 1, 0, 2), (3, 1, 2, 3), (2, 1, 3, 2), (4, 2, 3, 4)]


RUNS = [(0, 1, 3, 1), (2, 4, 2, 1)]  # release, start, time, width


def test_what_becomes_of_a_fixed_schedule() -> None:
    assert list(fixed(RUNS[:1], "split", 9)) == [[(0, 1, 1, 1), (0, 2, 2, 1)], [(0, 1, 2, 1), (0, 3, 1, 1)]]
    assert list(fixed(RUNS[:1], "split", 2)) == [[(0, 1, 1, 1)], [(0, 1, 2, 1)]]
    assert list(fixed(RUNS, "merge", 9)) == [[(0, 1, 5, 1)]]
    assert list(fixed([RUNS[0], (2, 4, 2, 2)], "merge", 9)) == []
    assert next(iter(fixed(RUNS, "delay", 9))) == [RUNS[1], (1, 1, 3, 1)]
    assert list(fixed([(1, 1, 3, 1)], "delay", 9)) == [[(2, 2, 3, 1)]]
    assert list(fixed([(1, 1, 3, 1)], "delay", 2)) == [[]]
    assert list(fixed(RUNS[1:], "pad", 9)) == [[(2, 4, 3, 1)]]


def test_values_by_hand() -> None:
    """At 6: units from 1, 2, 3 and 4, 5 on."""
    assert value("ψ_sp", RUNS, 6) == 5 + 4 + 3 + 2 + 1
    assert value("flow time", RUNS, 6) == -(4 + 4)
    assert value("completed work", RUNS, 6) == 5
    assert [value(name, [], 6) for name in strategies.UTILITIES] == [0, 0, 0]


def test_padding_does_not_count() -> None:
    alone = FairInstance([own((2, 1, 0)), Organization("B", 1, [RigidJob("b", 1, 1)])], 10)
    padded = presented(alone.organizations[0], "pad", {0})
    found = on_line(alone, "FCFS", 0, padded)
    assert found is not None
    assert (found.value, found.starts) == (10 + 9, (0,))


def test_splitting_lets_pieces_run_side_by_side() -> None:
    """One job of four units on two processors: from 10 + 9 + 8 + 7 to 2 · (10 + 9); in turn it changes nothing."""
    alone = FairInstance([own((4, 1, 0)), Organization("B", 1, [RigidJob("b", 1, 1, 9)])], 10)
    first = alone.organizations[0]
    values = [on_line(alone, "REF", 0, one) for one in (None, presented(first, "split", {0}), in_turn(first, 0, 0))]
    assert [one.value for one in values if one is not None] == [34, 38, 34]


def test_an_organization_alone_may_be_late_for_the_horizon() -> None:
    tiny = FairInstance([own((1, 1, 0)), Organization("B", 1, [RigidJob("b", 1, 1, 5)])], 1)
    assert on_line(tiny, "REF", 0, presented(tiny.organizations[0], "delay", {0})) is None


def test_a_tally_by_hand() -> None:
    tally = Tally()
    for before, after in ((10, 15), (10, 10), (10, 9), (0, 4), (-8, -4)):
        tally.add(before, after)
    assert (tally.pays, tally.same, tally.costs, tally.count) == (3, 1, 1, 5)
    assert tally.share == [F(1, 2), F(1, 2)]
    assert tally.cells == "5 | 60.0 % | 20.0 % | 50.0 % | 50 % | +31.58 %"


@pytest.mark.parametrize("seed", mostly_slow(range(0, 60, 10), quick={0}))
def test_in_a_fixed_schedule_psi_never_pays(seed: int) -> None:
    found = study(4, seed, ("REF",))
    assert not any(found.paid.values())
    assert found.fixed["split", "ψ_sp"].same == found.fixed["split", "ψ_sp"].count > 10
    assert found.fixed["delay", "ψ_sp"].costs > 0
    assert {key[0] for key in found.on_line} == {*STRATEGIES, IN_TURN}


def test_a_utility_by_which_it_pays_is_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(strategies, "ON_LINE", ("FCFS",))
    monkeypatch.setattr(strategies, "study", lambda count, seed: study(2, seed, ("FCFS",)))
    assert main(["--count", "2"]) == 0
    monkeypatch.setattr(strategies, "study", lambda count, seed: paying())
    assert main([]) == 3
    assert "| split | ψ_sp | 1 | 100.0 %" in capsys.readouterr().out


def paying() -> Found:
    found = study(1, 0, ("FCFS",))
    found.fixed["split", "ψ_sp"] = Tally(pays=1)
    return found
