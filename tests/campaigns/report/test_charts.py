"""Performance profiles and proof curves by their definitions, and the charts of a campaign."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from oas.campaigns.report.figures import costs_by_method, figures, performance_profile, proof_curves


def test_bounds_are_not_drawn_as_optima(made, runs_of):
    records = [one for one in made.records if one.kind != "exact" or "tiny" not in one.instance]
    weak = [one for one in made.records if one not in records]
    from dataclasses import replace

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
