"""What is drawn is what was computed."""

from fractions import Fraction

from oas.campaigns.report.charts import profile_chart, proof_chart
from oas.campaigns.report.figures import figures
from oas.plots import gap_chart


def drawn(ax):
    return {line.get_label().strip(): list(zip(*line.get_data(), strict=True)) for line in ax.get_lines()}


def test_profiles_are_steps():
    ax = profile_chart({"A": [(1, Fraction(1, 2)), (2, Fraction(1))], "$B$": []}, ratio="makespan", heading="H")
    lines = drawn(ax)
    assert lines["A"][:3] == [(1.0, 0.0), (1.0, 0.5), (2.0, 1.0)]
    assert {y for _, y in lines["$B$"]} == {0.0}
    assert ax.get_lines()[0].get_drawstyle() == "steps-post"
    assert ax.get_xscale() == "linear"
    assert ax.get_title(loc="left") == "H"


def test_great_ratios_are_on_a_logarithmic_axis():
    ax = profile_chart({"A": [(1, Fraction(1, 2)), (50, Fraction(1))]}, ratio="makespan")
    assert ax.get_xscale() == "log"
    assert ax.get_xlim()[1] > 50


def test_proof_curves_reach_the_limit():
    ax = proof_chart({"A": [(0.5, Fraction(1, 3))]}, limit=60.0)
    assert ax.get_xlim()[1] == 60
    assert drawn(ax)["A"][-1] == (60.0, 1 / 3)


def test_gaps_are_in_percent_with_their_median():
    ax = gap_chart({"A": [0.0, 0.1, 0.4], "B": []}, label="above", heading="H")
    dots = next(line for line in ax.get_lines() if line.get_marker() == "o")
    assert [round(x, 9) for x in dots.get_xdata()] == [0, 10, 40]
    median = ax.get_lines()[1]
    assert [round(x, 9) for x in median.get_xdata()] == [10, 10]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["A  (3)", "B  (0)"]


def test_figures_of_a_campaign(made, runs_of):
    names = [name for name, _ in figures(runs_of())]
    assert len(names) == len(set(names))
    for name in (
        "gaps-coallocation",
        "gaps-organizations",
        "profile-makespan-organizations-free",
        "proof-coallocation",
    ):
        assert name in names


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
