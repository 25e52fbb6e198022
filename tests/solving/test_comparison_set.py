"""Comparisons on several instances."""

from fractions import Fraction

import pytest

import oas
from oas import generate
from oas.solving import comparison_set
from oas.solving.comparison_set import ComparisonSet

INSTANCES = [generate.section4(seed=seed, jobs=6, slot_percent=50) for seed in range(3)]


@pytest.fixture(scope="module")
def compared():
    return oas.compare(INSTANCES, heuristics=["FCFS", "SJF"], continuous=False)


def test_a_summary_counts_and_averages_the_rows_of_each_instance(compared):
    single = [oas.compare(instance, heuristics=["FCFS", "SJF"], continuous=False) for instance in INSTANCES]
    assert [one.method for one in compared.methods] == ["exact", "SJF", "FCFS"] and compared.proven
    for method in compared.methods:
        gaps = [row.gap for one in single for row in one.rows if row.method == method.method]
        assert method.gaps == tuple(gaps) and method.schedules == len(gaps) == 3
        assert method.optimal == gaps.count(0) and method.worst_gap == max(gaps)
        assert method.mean_gap == sum(gaps, Fraction(0)) / 3
    assert compared.summary().loc["exact", "optimal"] == 3


def test_frame_text_and_figure_show_all_instances(compared):
    frame = compared.to_frame()
    assert list(frame["instance"].unique()) == [instance.name for instance in INSTANCES] and len(frame) == 9
    assert repr(compared).startswith("ComparisonSet of 3 instances of co-allocation")
    assert "worst gap" in compared._repr_html_()
    assert "SJF & 3 & 2" in compared.to_latex() and "% gap: makespan / optimum" in compared.to_latex()
    assert [text.get_text() for text in compared.plot().axes[0].get_yticklabels()] == ["SJF  (3)", "FCFS  (3)"]


def test_after_an_interrupt_the_complete_comparisons_remain(monkeypatch, compared):
    def interrupted(instance, **options):
        comparison = compared[INSTANCES.index(instance)]
        if instance is INSTANCES[1]:
            object.__setattr__(comparison.result, "termination", oas.Termination.INTERRUPTED)
        return comparison

    monkeypatch.setattr(comparison_set, "compare", interrupted)
    before = compared[1].result.termination
    try:
        cut = oas.compare(INSTANCES)
    finally:
        object.__setattr__(compared[1].result, "termination", before)
    assert isinstance(cut, ComparisonSet) and len(cut) == 2 and cut.skipped == 1
    assert "1 instance not compared" in cut._repr_html_()


@pytest.mark.parametrize(
    ("instances", "message"),
    [
        ([], "instances: at least one is needed"),
        ([INSTANCES[0], 3], r"instances\[1\].instance: an instance is needed"),
        ([INSTANCES[0], generate.uni(seed=1, jobs=3)], r"instances\[1\].problem: must be that of the first instance"),
    ],
)
def test_unsuitable_instances_are_refused_before_the_first_solve(instances, message):
    with pytest.raises(oas.InputError, match=message):
        oas.compare(instances)
