"""Targets, intervals, gaps over time, stages and tables by sample, by hand and on a real campaign."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from oas.campaigns.report.samples import disjoint, figures, gap_after, interval_text, shares, wilson
from oas.campaigns.report.writing import summary_markdown
from oas.campaigns.targets import Target, judge


@pytest.mark.parametrize(
    ("successes", "total", "interval"),
    [
        # Newcombe 1998, Stat. Med. 17, table I, method 3.
        (81, 263, (0.2553, 0.3662)),
        (15, 148, (0.0624, 0.1605)),
        (0, 20, (0.0, 0.1611)),
        (1, 29, (0.0061, 0.1718)),
        (20, 20, (0.8389, 1.0)),
    ],
)
def test_wilson(successes, total, interval):
    assert wilson(successes, total) == pytest.approx(interval, abs=5e-5)
    assert wilson(total - successes, total) == pytest.approx((1 - interval[1], 1 - interval[0]), abs=5e-5)


def exact_run(runs, **changes):
    """A run of the exact method on a small instance, with the columns as given."""
    run = next(run for run in runs.runs if run.record.kind == "exact")
    numbers = {name: changes.pop(name) for name in ("objective", "lower_bound") if name in changes}
    return replace(run, record=replace(run.record, **changes), **numbers)


STEPS = [[0.5, "80", None], [1.0, "80", "150"], [3.0, "95", "120"], [4.0, "101", "99"]]


@pytest.mark.parametrize(
    ("seconds", "gap"),
    [
        (0.4, None),
        (0.9, None),  # a bound, no schedule
        (1.0, Fraction(150, 80) - 1),
        (3.5, Fraction(120, 95) - 1),
        (4.5, Fraction(110, 100) - 1),  # stated, but better than what was verified
        (60, Fraction(110, 100) - 1),
    ],
)
def test_gap_over_time(runs_of, seconds, gap):
    run = exact_run(
        runs_of(), progress=json.dumps(STEPS), seconds=5.0, objective=Fraction(110), lower_bound=Fraction(100)
    )
    assert gap_after(run, seconds) == gap


def test_medians_count_what_is_missing_and_means_do_not(runs_of):
    runs = runs_of()
    first, last = (
        exact_run(runs, progress="[]", seconds=seconds, objective=Fraction(3), lower_bound=Fraction(2))
        for seconds in (1.0, 9.0)
    )
    assert figures([first, last, first], 5) == (0.5, 0.5, 1)
    assert figures([first, last, last], 5) == (float("inf"), 0.5, 2)


def test_stages_do_not_overlap(runs_of):
    stages = {"start": 1.0, "search": 6.0, "search: local": 4.0, "compile": 2.0, "total": 8.0}
    assert disjoint(stages)["search"] == 2.0
    run = exact_run(runs_of(), stages=json.dumps(stages), seconds=8.0)
    assert shares([run]) == {"start": 0.125, "search": 0.25, "search: local": 0.5, "other": 0.125}


@pytest.mark.parametrize(
    ("target", "text", "met"),
    [
        (Target("proven", "highs", at_least=Fraction(1)), "1", True),
        (Target("proven", "LPT", at_least=Fraction(1, 2)), "0", False),
        (Target("proven", "highs"), "1", None),
        (Target("mean_gap", "highs", at_most=Fraction(0)), "0", True),
        (Target("gap", "LPT", at_most=Fraction(1)), "None", False),  # a heuristic has no bound
        (Target("open", "highs", at_most=Fraction(0)), "0", True),
        (Target("proven", "highs", at_least="LPT"), "1", True),
        (Target("proven", "LPT", at_least="highs"), "0", False),
    ],
)
def test_targets(runs_of, target, text, met):
    found = judge(target, runs_of())
    assert (str(found.value), found.met) == (text, met)
    assert found.runs == found.asked == 6


def test_a_target_without_runs_is_left_out(runs_of):
    assert judge(Target("proven", "highs", samples=("none",)), runs_of()) is None


def test_unproven_runs_miss_the_target(made, runs_of):
    record = made.record("highs", "uni")
    runs = runs_of(made.changed(record, status="feasible", lower_bound="1/9"))
    assert judge(Target("proven", "highs", at_least=Fraction(1)), runs).interval == interval_text(5, 6)
    assert not judge(Target("proven", "highs", at_least=Fraction(1)), runs).met
    assert judge(Target("open", "highs", at_most=Fraction(1)), runs).value > 1


def test_the_page_has_all_sections(made, runs_of):
    orders = [replace(one, origin=replace(one.origin, sample=one.problem)) for one in made.orders]
    campaign = replace(made.campaign, targets=(Target("proven", "highs", ("mosp",), at_least=Fraction(9, 10)),))
    text = summary_markdown(campaign, runs_of(orders=orders))
    assert (
        "| mosp | highs | share proven optimal | at least 90.00 % | 100.00 % | 51.0 to 100.0 % | yes | 4 of 4 |" in text
    )
    assert "| mosp | highs | 4 | 4 | 51.0 to 100.0 % |" in text
    for heading in (
        "Heuristics by sample",
        "Optimum with locality / optimum without",
        "Gap after given seconds",
        "Share of each stage in the time",
        "Circumstances",
    ):
        assert f"\n## {heading}" in text


def test_published_bounds_are_held_against_the_runs(made, runs_of):
    def published(lower, upper):
        orders = [replace(one, origin=replace(one.origin, published=(lower, upper))) for one in made.orders]
        return runs_of(orders=orders).contradictions

    assert published(1, 10**9) == published(None, None) == ()
    assert any("is below the published bound" in one for one in published(10**9, None))
    assert any("is above the published makespan 0" in one for one in published(None, 0))
