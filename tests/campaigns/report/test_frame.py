"""Runs compared with proven values, summaries of methods and samples, profiles, proof curves, targets, intervals."""

import json
import re
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oas.campaigns.report import samples
from oas.campaigns.report.charts import costs_by_method, figures, performance_profile, proof_curves
from oas.campaigns.report.samples import disjoint, gap_after, interval_text, shares, wilson
from oas.campaigns.report.summary import facts, notes, summarise
from oas.campaigns.report.writing import summary_markdown
from oas.campaigns.targets import Target, judge
from oas.io.reading import loads
from oas.show.text_tables import Table, escape_latex, escape_markdown, to_latex, to_markdown
from tests.campaigns.report.campaigns import without

COALLOCATION, MOSP, FREE = "coallocation", "mosp", "mosp without locality"


def runs_by(runs, method, group=None):
    return [run for run in runs.runs if run.order.method.label == method and group in (None, run.group)]


def test_gaps_are_exact_and_to_the_proven_optimum(made, runs_of):
    runs = runs_of()
    optima = {one.digest: Fraction(one.objective) for one in made.records if one.kind == "exact"}
    assert all(one.status == "optimal" for one in made.records if one.kind == "exact")
    assert len(runs.runs) == len(made.orders)
    for run in runs_by(runs, "ILBA") + runs_by(runs, "FCFS", COALLOCATION):
        assert run.reference.optimum == optima[run.order.digest]
        assert run.gap == Fraction(run.record.objective) / optima[run.order.digest] - 1
        assert isinstance(run.gap, Fraction)
        assert run.gap_to == "optimum"
        assert run.with_locality is None
    assert runs.contradictions == ()


def test_who_promises_no_locality_is_held_against_the_optimum_without_it(made, runs_of):
    runs = runs_of()
    instances = {digest: loads(document) for digest, _, _, document in made.documents}
    optima = {one.digest: Fraction(one.objective) for one in made.records if one.kind == "exact"}
    seen = 0
    for run in runs_by(runs, "LPT", FREE):
        instance = instances[run.order.digest]
        free = instance.with_locality(None).digest
        assert run.relaxed == free
        assert run.gap == run.objective / optima[free] - 1
        if instance.locality is not None:
            assert run.with_locality.optimum == optima[run.order.digest]
            assert run.gap_with_locality == run.objective / optima[run.order.digest] - 1
            seen += 1
    assert seen == 2
    assert runs_by(runs, "LPT", MOSP) == []


def test_without_the_optimum_it_needs_it_has_no_gap(made, runs_of):
    orders = made.orders
    for digest, _, problem, document in made.documents:
        if problem == "mosp" and loads(document).locality is None:
            orders = without(orders, digest)
    runs = runs_of(orders=orders)
    lost = runs_by(runs, "LPT", FREE)
    assert len(lost) == 2
    for run in lost:
        assert run.gap is None
        assert run.bound_gap is None
        assert run.gap_to == ""
        assert run.gap_with_locality is not None
    assert all(run.gap is not None for run in runs_by(runs, "ILBA"))


def test_a_weak_bound_is_called_a_bound(made, runs_of):
    exact = made.record("highs", "tiny")
    bound = Fraction(exact.objective) / 2
    runs = runs_of(made.changed(exact, status="feasible", termination="time_limit", lower_bound=str(bound)))
    own = [run for run in runs.runs if run.order.digest == exact.digest and run.objective is not None]
    assert len(own) > 1
    for run in own:
        assert run.gap is None
        assert run.gap_to == "bound"
        assert run.bound_gap == run.objective / bound - 1
        assert run.reference.optimum is None


def test_missing_stale_and_other_rows_count_nowhere(made, runs_of):
    record = made.record("ILBA", "uni")
    rows = [one for one in made.records if one is not record]
    stale = replace(record, key="0" * 64, package="0.0.0", objective="1")
    foreign = replace(record, key="1" * 64, method="gone", objective="1")
    runs = runs_of([*rows, stale, foreign])
    assert dict(runs.missing) == {"ILBA": 1}
    assert dict(runs.stale) == {"ILBA": 1}
    assert runs.others == 1
    assert len(runs.runs) == len(rows)
    assert {run.record.package for run in runs.runs} != {"0.0.0"}
    assert runs.contradictions == ()


def test_a_method_renamed_since_bears_its_present_label(made, runs_of):
    orders = [
        replace(one, method=replace(one.method, label="renamed")) if one.method.label == "highs" else one
        for one in made.orders
    ]
    runs = runs_of(orders=orders)
    assert {run.record.method for run in runs_by(runs, "renamed")} == {"highs"}
    assert not runs.missing


def test_a_killed_run_stays_with_its_method(made, runs_of):
    record = made.record("LPT", "uni")
    killed = {"status": "no_solution", "termination": "killed", "objective": None, "keeps_locality": True}
    runs = runs_of(made.changed(record, **killed))
    (run,) = [run for run in runs.runs if run.record.key == record.key]
    assert run.group == FREE
    assert run.outcome == "killed"
    assert run.gap is None


def test_contradictions_are_reported(made, runs_of):
    """A schedule below a proven bound, and two exact runs that disagree."""
    (found,) = runs_of(made.changed(made.record("ILBA", "uni"), objective="1/7")).contradictions
    assert "ILBA: makespan 1/7 is below the proven bound" in found
    record = made.record("highs", "tiny")
    order = next(one for one in made.orders if one.key == record.key)
    second = replace(order, key="2" * 64, method=replace(order.method, label="second"))
    more = str(Fraction(record.objective) + 1)
    wrong = replace(record, key=second.key, method="second", objective=more, lower_bound=more)
    text = "; ".join(runs_of([*made.records, wrong], [*made.orders, second]).contradictions)
    assert "second: claims the optimum" in text
    assert re.search("highs: makespan .* is below the proven bound", text)


HOSTILE = "a|b_c*<i>`\\\n# $x$ & 100 % {~^}"


def row_of(runs, method, group):
    return next(row for row in summarise(runs) if (row.method, row.group) == (method, group))


def test_notes(made, runs_of):
    rows = [one for one in made.records if one.kind != "exact"]
    text = " ".join(notes(runs_of(rows)))
    assert f"6 of {len(made.orders)} runs are missing: highs 6." in text
    record = made.record("ILBA", "uni")
    assert any(one.startswith("Contradiction") for one in notes(runs_of(made.changed(record, objective="1/7"))))
    assert notes(runs_of()) == []


def test_markdown_cells_stay_cells():
    text = to_markdown("T", [], [Table("A", ("method", "n"), [(HOSTILE, "1")])])
    (line,) = [one for one in text.splitlines() if "100" in one]
    assert line.replace("\\\\", "").replace("\\|", "").count("|") == 3
    assert escape_markdown("a_b") == "a\\_b"
    assert "| --- | ---: |" in text


def test_latex_is_escaped():
    assert escape_latex("50 % of $x_1$ & \\input{y}") == r"50 \% of \$x\_1\$ \& \textbackslash{}input\{y\}"
    text = to_latex("T\n\\end", ["one\ntwo"], [Table("A", ("method", "n"), [(HOSTILE, "1"), ("[2]", "–")])])
    assert all(line.startswith("%") for line in text.splitlines()[:3])
    body = text[text.index(r"\midrule") : text.index(r"\bottomrule")]
    assert body.count(r" \\") == 2
    assert body.replace(r"\&", "").count("&") == 2
    assert "{[}2{]}" in body


def test_bounds_are_not_drawn_as_optima(made, runs_of):
    records = [one for one in made.records if one.kind != "exact" or "tiny" not in one.instance]
    weak = [one for one in made.records if one not in records]
    changed = [replace(one, status="feasible", termination="time_limit", lower_bound="1/9") for one in weak]
    found = dict(figures(runs_of([*records, *changed])))
    ax = found["gaps-coallocation"].axes[0]
    assert "which may be weak" in ax.get_xlabel()
    assert "no optimum proven" in ax.get_title(loc="left")
    assert "proof-coallocation" not in found
    assert "proven optimum" in found["gaps-organizations"].axes[0].get_xlabel()


table = st.integers(1, 4).flatmap(
    lambda count: st.lists(
        st.lists(st.one_of(st.none(), st.integers(1, 9)), min_size=count, max_size=count), min_size=1, max_size=4
    )
)


@given(table, st.fractions(1, 9))
def test_by_the_definition(rows, tau):
    """ρ_s(τ) = size{p : r_{p,s} ≤ τ} / n_p."""
    costs = {str(solver): row for solver, row in enumerate(rows)}
    profiles = performance_profile(costs)
    for solver, own in costs.items():
        count = 0
        for problem, cost in enumerate(own):
            others = [row[problem] for row in rows if row[problem] is not None]
            count += cost is not None and cost <= tau * min(others)
        reached = [share for ratio, share in profiles[solver] if ratio <= tau]
        assert (reached[-1] if reached else 0) == Fraction(count, len(own))


def test_costs_are_of_instances_that_every_method_was_run_on(made, runs_of):
    lost = made.record("FCFS", "tiny")
    runs = runs_of([one for one in made.records if one is not lost])
    own = [run for run in runs.runs if run.group == "coallocation" and run.record.kind == "heuristic"]
    costs, count = costs_by_method(own, lambda run: run.objective)
    assert count == 1
    (other,) = [
        one for one in made.records if one.method == "LPT" and one.digest != lost.digest and "tiny" in one.instance
    ]
    assert costs["LPT"] == [Fraction(other.objective)]


def test_a_failure_is_worse_than_any_cost(made, runs_of):
    """Of two runs, one failed: the median is a failure; of three, the middle one counts."""
    own = [run for run in runs_of().runs if run.order.method.label == "LPT" and run.group == "coallocation"][:1]
    for values, middle in (([2, None], None), ([2, None, 7], 7), ([2, 7], Fraction(9, 2)), ([None, None], None)):
        answers = iter([None if value is None else Fraction(value) for value in values])
        costs, _ = costs_by_method(own * len(values), lambda _, answers=answers: next(answers))
        assert costs == {"LPT": [middle]}


def test_proof_curves(made, runs_of):
    exact = made.record("highs", "uni")
    runs = runs_of(made.changed(exact, status="feasible", termination="time_limit"))
    curve = proof_curves(runs.runs)["highs"]
    proven = sorted(one.seconds for one in made.records if one.kind == "exact" and one is not exact)
    assert [moment for moment, _ in curve] == proven
    assert curve[-1][1] == Fraction(len(proven), len(proven) + 1)


def test_second_opinions_count_in_no_time(made, runs_of):
    exact = made.record("highs", "uni")
    stages = json.dumps({"highs": 3.0, "check cbc": 40.0, "check highs": 2.0, "total": 45.0})
    others = [replace(one, seconds=1.0) for one in made.records if one is not exact]
    runs = runs_of([*others, replace(exact, seconds=45.5, stages=stages)])
    (run,) = [run for run in runs.runs if run.record.seconds == 45.5]
    assert (run.record.solve_seconds, run.record.check_seconds) == (3.5, 42.0)
    assert max(moment for moment, _ in proof_curves(runs.runs)["highs"]) == 3.5
    assert judge(Target("seconds", "highs", at_most=Fraction(4)), runs).value == 3.5
    assert shares([run]) == {"highs": 3 / 3.5, "other": 0.5 / 3.5}
    row = runs.frame().set_index("key").loc[run.record.key]
    assert (row["seconds"], row["check_seconds"]) == (3.5, 42.0)
    (summary,) = [row for row in summarise(runs) if row.method == "highs" and row.group == run.group]
    assert summary.seconds.worst == 3.5
    assert dict(facts(made.campaign, runs))["second opinions, in addition"] == ["42.0 s"]


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
        (4.5, Fraction(110, 100) - 1),  # stated, but better than the verified result
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
    assert samples.figures([first, last, first], 5) == (0.5, 0.5, 1)
    assert samples.figures([first, last, last], 5) == (float("inf"), 0.5, 2)


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
    assert found.runs == found.planned == 6


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
