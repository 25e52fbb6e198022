"""Comparisons of methods: gaps, guarantees, the price of locality, and heuristics that fail in every way there is."""

from dataclasses import replace
from fractions import Fraction as F

import pytest

import oas
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.core.result import Status, Termination
from oas.core.rigid import Organization, RigidJob
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import verify
from oas.mosp import cooperation
from oas.mosp.generate.worst_cases import worst_cases
from oas.mosp.instance import MospInstance
from oas.mosp.runs import local_schedule
from oas.show.comparison import comparison_notes, comparison_set_parts, comparison_table
from oas.solving import comparison, continuous
from oas.solving.method import Guarantee, Method
from oas.solving.methods import find_method
from tests.mosp.instances import random_instance


def no_cooperation():
    """Five unit jobs of the first of five organizations with a processor each: alone 5, together 1."""
    return MospInstance(
        [Organization("O0", 1, [RigidJob(f"J{k}", 1, 1) for k in range(5)])]
        + [Organization(f"O{k}", 1, []) for k in range(1, 5)]
    )


def price_of_locality():
    """Locality costs a half: the optimum is 3 with it, 2 without (MOCCA paper, section 2.3)."""
    jobs = [[RigidJob("a", 1, 1)], [RigidJob("b", 1, 1)], [RigidJob("c", 2, 1), RigidJob("d", 2, 1)]]
    return MospInstance([Organization(f"O{k}", 1, own) for k, own in enumerate(jobs)])


def cells(compared, name):
    """The row of a method as the table shows it, by heading."""
    table = comparison_table(compared)
    rows = {row[0]: row for row in table.rows}
    return dict(zip(table.titles, rows[name], strict=True))


def test_observed_is_the_ratio_to_the_optimum():
    compared = oas.compare(no_cooperation(), heuristics=["MOCCA", "MOCCA(4)", "mocca(9/2)", "MOCCA(7/2)", "local"])
    rows = {row.method: row for row in compared.rows}
    assert compared.result.status is Status.OPTIMAL and compared.result.objective == 1
    for name, ratio in [("MOCCA", 3), ("MOCCA(4)", 4), ("MOCCA(9/2)", F(9, 2))]:
        row = rows[name]
        assert row.guarantee.value == ratio == row.observed and row.observed_exactly
        assert not row.breaks_guarantee
    for name in ("exact", "MOCCA(7/2)", "local"):
        assert rows[name].guarantee is None and rows[name].observed is None
        heading = "optimum" if name == "exact" else name
        assert cells(compared, heading)["guarantee / observed"] == "–"
    assert cells(compared, "MOCCA")["guarantee / observed"] == "3 / 3"
    assert cells(compared, "MOCCA(9/2)")["guarantee / observed"] == "4.5 / 4.5"
    assert any(note.startswith("MOCCA(9/2) ≤ 9/2 (about 4.5) · optimum: ") for note in comparison_notes(compared))
    frame = compared.to_frame().set_index("method")
    assert frame.loc["MOCCA", ["guarantee", "observed"]].to_list() == [3, 3]


def test_second_opinions_have_their_own_time():
    compared = oas.compare(no_cooperation(), heuristics=["ILBA"], check=("highs",))
    exact, own = compared.rows
    result = compared.result
    assert (exact.seconds, exact.check_seconds) == (result.solve_seconds, result.check_seconds)
    assert exact.check_seconds > 0 and own.check_seconds is None
    assert any(note.startswith("second opinions: ") for note in comparison_notes(compared))
    frame = compared.to_frame()
    assert frame["check_seconds"].to_list()[0] == exact.check_seconds and frame["check_seconds"].isna().to_list()[1]
    several = oas.compare([no_cooperation()], heuristics=["ILBA"], check=("highs",))
    assert several.methods[0].check_seconds == several[0].rows[0].check_seconds
    assert any(str(part).startswith("second opinions: ") for part in comparison_set_parts(several))
    assert not any("second opinions" in note for note in comparison_notes(oas.compare(no_cooperation())))


def test_without_a_proven_optimum_it_is_at_most_that(monkeypatch):
    solve = continuous.solve

    def unproven(instance, **options):
        result = solve(instance, **options)
        return oas.Result(
            Status.FEASIBLE, oas.Termination.TIME_LIMIT, local_schedule(instance), F(3, 4), None, result.instance_digest
        )

    monkeypatch.setattr(continuous, "solve", unproven)
    compared = oas.compare(no_cooperation(), heuristics=["MOCCA"])
    row = compared.rows[1]
    assert (row.observed, row.observed_exactly) == (4, False)
    assert not row.breaks_guarantee  # 4 is above 3, but the ratio may be less
    assert cells(compared, "MOCCA")["guarantee / observed"] == "3 / ≤ 4"


def test_a_method_blind_to_locality_is_held_against_the_optimum_without():
    def promised(instance):
        return Guarantee(F(2), "for the sake of the test")

    blind = Method(
        "blind", find_method("LPT", MospInstance).run, "", 1, MospInstance, respects_locality=False, guarantee=promised
    )
    heeding = Method(
        "heeding", lambda instance, *, seed=0: local_schedule(instance), "", 1, MospInstance, guarantee=promised
    )
    compared = oas.compare(price_of_locality(), heuristics=[blind, heeding])
    assert (compared.result.objective, compared.without_locality.objective) == (3, 2)
    rows = {row.method: row for row in compared.rows}
    assert rows["blind"].makespan == rows["blind"].observed * 2
    assert rows["heeding"].makespan == rows["heeding"].observed * 3
    assert rows["blind"].ignores_locality and rows["blind"].gap == rows["blind"].makespan / 2 - 1 == 0
    assert not rows["heeding"].ignores_locality and rows["heeding"].gap == rows["heeding"].makespan / 3 - 1
    (free,) = compared.references
    assert (free.makespan, free.gap, free.ignores_locality) == (2, 0, True) and free.seconds > 0
    assert cells(compared, "optimum *")["above optimum"] == cells(compared, "blind *")["above optimum"] == "0 %"
    assert "blind *: makespan 2, above optimum 0 %" in repr(compared)


(LOCALITY_PRICE,) = [case.function for case in worst_cases() if case.name == "locality-price"]


def test_the_papers_worst_case_pays_three_halves():
    points = {point.locality: point for point in oas.price(LOCALITY_PRICE())}
    assert points[F(1)].result.objective == 3 and points[F(1)].price == F(3, 2) and not points[F(1)].losers
    assert points[F(2)].result.objective == 2 and points[F(2)].price == 1 and points[F(2)].losers
    assert points[None].result.objective == 2


def grid(slot="1/2"):
    """Two nodes fast, two half as fast; durations that no slot of 1/2 divides."""
    clusters = [Cluster("A", [NodeGroup(2, 1)], 10), Cluster("B", [NodeGroup(2, "1/2")], 10)]
    jobs = [Job("a", 2, "7/5", 1), Job("b", 1, "3/5", 0), Job("c", 3, 2, 1), Job("d", 2, "4/5", 1)]
    return CoallocationInstance(clusters, jobs, slot=slot)


def own(name, run):
    return Method(name, run, "")


@pytest.fixture(scope="module")
def compared():
    return oas.compare(grid())


def test_figures_follow_from_each_rows_own_schedule(compared):
    optimum = compared.result.lower_bound
    assert compared.result.status is Status.OPTIMAL
    for row in compared.rows:
        assert verify(compared.instance, row.schedule) == []
        assert row.makespan == max(one.end for one in row.schedule.placements) >= row.executed
        assert row.gap == (row.makespan - optimum) / optimum >= 0
        held = sum(
            len(nodes) * (one.end - one.start) for one in row.schedule.placements for nodes in one.nodes.values()
        )
        assert row.compaction == held / (4 * row.makespan)
        assert row.executed >= compared.continuous.lower_bound
    assert compared.rows[0].gap == 0


def raises(error):
    def run(instance, *, seed=0):
        raise error

    return run


def early(instance, *, seed=0):
    """Return a schedule in which all jobs start at 0 on the same nodes."""
    return Schedule([Placement(job.id, 0, job.base_time, {"A": tuple(range(job.tasks))}) for job in instance.jobs])


BAD = {
    "runtime": (raises(RuntimeError("out of ideas")), "failed: RuntimeError: out of ideas"),
    "exit": (raises(SystemExit(0)), "failed: SystemExit"),
    "none": (lambda instance, *, seed=0: None, "returned NoneType, not a Schedule"),
    "signature": (lambda instance: None, "failed: TypeError"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_heuristic_that_fails_is_a_row_that_says_so(name):
    run, note = BAD[name]
    result = oas.compare(grid(), heuristics=["FCFS"], extra=[own(name, run)])
    good, bad = result.rows[1:]
    assert (good.method, bad.method) == ("FCFS", name)
    assert good.makespan is not None
    assert bad.note.startswith(note)
    assert (bad.schedule, bad.makespan, bad.gap, bad.violations) == (None, None, None, ())
    assert not result.violated


def test_a_schedule_that_breaks_rules_is_not_ranked():
    result = oas.compare(grid(), heuristics=["FCFS"], extra=[own("early", early)])
    bad = result.rows[-1]
    assert result.violated
    assert (bad.method, bad.schedule, bad.makespan) == ("early", None, None)
    assert {one.rule for one in bad.violations} == {one.rule for one in verify(grid(), early(grid()))} != set()
    assert bad.note == f"infeasible: {bad.violations[0]}"


def test_ctrl_c_in_a_heuristic_ends_everything_before_the_solve(monkeypatch):
    monkeypatch.setattr(comparison, "solve", lambda *_, **__: pytest.fail("solved all the same"))
    with pytest.raises(KeyboardInterrupt):
        oas.compare(grid(), heuristics=[own("hung", raises(KeyboardInterrupt()))])


def test_an_infeasible_instance_has_rows_but_no_figures():
    clusters = [Cluster("A", [NodeGroup(1, 1)], 0), Cluster("B", [NodeGroup(1, 1)], 0)]
    result = oas.compare(CoallocationInstance(clusters, [Job("wide", 2, 1, 5)], slot=1))
    assert result.result.status is Status.INFEASIBLE
    assert all(row.schedule is None and row.gap is None for row in result.rows)
    assert all("wide" in row.note for row in result.rows)
    assert result.continuous is None and not result.violated


def interrupted(solve):
    """Let every solve end as by Ctrl-C, and count them."""
    calls = []

    def run(*arguments, **options):
        calls.append(arguments)
        return replace(solve(*arguments, **options), termination=Termination.INTERRUPTED)

    return run, calls


def test_ctrl_c_is_not_answered_with_another_solve(monkeypatch):
    instance = random_instance(3).with_locality(1)
    for module, run in ((comparison, oas.compare), (cooperation, oas.price)):
        fake, calls = interrupted(module.solve)
        monkeypatch.setattr(module, "solve", fake)
        run(instance)
        assert len(calls) == 1


def test_after_ctrl_c_nothing_is_compared_with_the_optimum_of_another_problem(monkeypatch):
    """LPT ignores locality; without the unrestricted optimum its distance is not known."""
    honest = comparison.solve_with_limit

    def interrupted(*arguments, **options):
        result, limit = honest(*arguments, **options)
        return replace(result, termination=Termination.INTERRUPTED), limit

    monkeypatch.setattr(comparison, "solve_with_limit", interrupted)
    found = oas.compare(price_of_locality(), heuristics=["LPT", "ILBA"])
    rows = {row.method: row for row in found.rows}
    assert rows["LPT"].ignores_locality and rows["LPT"].gap is None
    assert not rows["ILBA"].ignores_locality and rows["ILBA"].gap is not None
    assert "ILBA: makespan 3, above optimum 0 %\n" in f"{found!r}\n"
    assert "* ignores locality; the optimum without locality was not computed" in comparison_notes(found)


def test_a_distance_to_an_unproven_bound_is_not_called_one_to_the_optimum(monkeypatch):
    """The optimum under locality is 3 and proven; without it, only 2 ≥ 1 is known."""

    def unproven(instance, **options):
        return replace(oas.solve(instance, **options), status=Status.FEASIBLE, lower_bound=F(1))

    monkeypatch.setattr(comparison, "solve", unproven)
    found = oas.compare(price_of_locality(), heuristics=["LPT", "ILBA"])
    assert [row.gap for row in found.rows] == [0, 1, 0]
    assert comparison_table(found).titles[-2] == "above bound" and "above bound" in found._repr_html_()
    assert "LPT *: makespan 2, above bound 100.00 %\n  ILBA: makespan 3, above bound 0 %\n" in f"{found!r}\n"
    alone = oas.compare(price_of_locality(), heuristics=["ILBA"])
    assert comparison_table(alone).titles[-2] == "above optimum"
