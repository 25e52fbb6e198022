"""What a run is held against: the proven optimum of what it solves, or a bound that is called one."""

import re
from dataclasses import replace
from fractions import Fraction

from oas.io.reading import loads
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
        assert run.beside is None
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
            assert run.beside.optimum == optima[run.order.digest]
            assert run.beside_gap == run.objective / optima[run.order.digest] - 1
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
        assert run.beside_gap is not None
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


def test_the_frame_keeps_exact_numbers(made, runs_of):
    frame = runs_of().frame()
    assert len(frame) == len(made.orders)
    assert {type(value) for value in frame["objective"].dropna()} == {Fraction}
    assert {type(value) for value in frame["gap"].dropna()} == {Fraction}
    assert set(frame["problem"]) == {COALLOCATION, MOSP, FREE}
