"""Controls on an instance: exact figures, cache, superseded and open solves, and the widget driven by its traits."""

import sys
import threading
from dataclasses import replace
from fractions import Fraction as F

import pytest

import oas
from oas.coallocation.exploration import Exploration, Setting
from oas.coallocation.explore_widget import gantt_charts, makespan_curve
from oas.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.coallocation.saturation import PLAIN, Saturation
from oas.core.errors import InputError, TooLargeError
from oas.core.result import Result, Status, Termination
from oas.solving.brute_force import brute_force

ONE = F(1)
SLOWDOWN = Saturation("slowdown")
# Two jobs of three nodes, mean base time 12: in turn 24, or under slowdown together 18; see test_saturation_price.py.
PAIR = CoallocationInstance(
    [Cluster(name, [NodeGroup(2, 1)], 1) for name in "PQR"], [Job(name, 3, 12, 1, F(1, 2)) for name in "AB"], slot=6
)


def optimum(instance, stop=None):
    """The optimum by brute force as a result of `oas.solve`."""
    makespan, schedule = brute_force(instance)
    return Result(Status.OPTIMAL, Termination.FINISHED, schedule, makespan, None, instance.digest)


class Held:
    """A solver that waits in its first solve until it is stopped or released."""

    def __init__(self):
        self.solved, self.stopped = [], []
        self.began, self.release = threading.Event(), threading.Event()

    def __call__(self, instance, stop):
        first = not self.began.is_set()
        self.began.set()
        while first and not (stop.wait(0.01) or self.release.is_set()):
            pass
        (self.stopped if stop.is_set() else self.solved).append((instance.slot, instance.clusters[0].bandwidth))
        return optimum(instance)


def started(exploration, setting, method="FCFS"):
    exploration.request(setting, method)
    return exploration


def test_the_pair_by_hand():
    exploration = Exploration(PAIR, optimum)
    assert exploration.own_percent == 50
    assert exploration.percents == [0, 5, 10, 15, 25, 50, 75, 100, 150, 200, 250]
    forbid = Setting(F(50), ONE, PLAIN)
    before = exploration.figures(forbid, "FCFS")
    assert before.row.makespan == 24 and before.outcome is None and before.ratio is None
    assert before.line == "FCFS 24  ·  optimum: computing …"
    started(exploration, forbid).wait()
    after = exploration.figures(forbid, "FCFS")
    assert after.result.objective == after.result.lower_bound == 24 and after.ratio == 1
    ends = {point.percent: (point.heuristic, point.result.objective) for point in after.curve}
    assert ends[0] == (24, 24) and ends[15] == (F(126, 5), F(126, 5)) and ends[200] == (48, 48)
    assert all(found == brute_force(PAIR.with_slot(12 * percent / 100))[0] for percent, (_, found) in ends.items())


def test_factor_and_policy_are_exact():
    exploration = Exploration(PAIR, optimum)
    half = exploration.instance_for(Setting(F(25), F(1, 3), SLOWDOWN))
    assert [cluster.bandwidth for cluster in half.clusters] == [F(1, 3)] * 3
    assert half.slot == 3 and half.saturation == SLOWDOWN and half.jobs == PAIR.jobs
    own = exploration.instance_for(Setting(exploration.own_percent, ONE, PLAIN))
    assert own == PAIR and own.digest == PAIR.digest
    for factor, policy, makespan in ((ONE, PLAIN, 24), (ONE, SLOWDOWN, 18), (F(2), PLAIN, 12)):
        setting = Setting(F(50), factor, policy)
        started(exploration, setting).wait()
        assert exploration.figures(setting, "FCFS").result.objective == makespan


def test_methods_follow_the_policy():
    exploration = Exploration(PAIR, optimum)
    assert exploration.policies == [PLAIN, SLOWDOWN, Saturation("slowdown", sharing="max-min")]
    assert "PATIENT" not in exploration.methods(PLAIN) and "PATIENT" in exploration.methods(SLOWDOWN)


def test_results_are_cached():
    calls = []

    def counting(instance, stop):
        calls.append(instance.digest)
        return optimum(instance)

    exploration = Exploration(PAIR, counting)
    first, second = Setting(F(50), ONE, PLAIN), Setting(F(50), F(2), PLAIN)
    for setting, method in ((first, "FCFS"), (second, "FCFS"), (first, "SJF"), (second, "FCFS")):
        started(exploration, setting, method).wait()
        assert {point.heuristic is not None for point in exploration.figures(setting, method).curve} == {True}
    assert len(calls) == len(set(calls)) == 2 * len(exploration.percents)
    assert exploration.figures(first, "SJF").result is exploration.figures(first, "FCFS").result


def test_a_superseded_solve_is_stopped_and_discarded():
    held = Held()
    exploration = Exploration(PAIR, held)
    narrow, wide = Setting(F(50), ONE, PLAIN), Setting(F(50), F(2), PLAIN)
    exploration.request(narrow, "FCFS")
    assert held.began.wait(60)
    exploration.request(wide, "FCFS")
    exploration.wait()
    assert held.stopped == [(6, 1)] and held.solved[0] == (6, 2)
    assert {bandwidth for _, bandwidth in held.solved} == {2}
    assert exploration.figures(narrow, "FCFS").outcome is None
    assert exploration.figures(wide, "FCFS").result.objective == 12


def test_the_current_slot_size_comes_first_and_a_needed_solve_goes_on():
    held = Held()
    exploration = Exploration(PAIR, held)
    setting = Setting(F(50), ONE, PLAIN)
    exploration.request(setting, "FCFS")
    assert held.began.wait(60)
    exploration.request(setting, "SJF")  # needs the same optimum
    held.release.set()
    exploration.wait()
    assert not held.stopped
    assert [slot / 12 * 100 for slot, _ in held.solved] == [50, 0, 250, 200, 150, 100, 75, 25, 15, 10, 5]


def test_an_open_optimum_is_reported_with_its_gap():
    def hurried(instance, stop):
        found = optimum(instance)
        return replace(found, status=Status.FEASIBLE, termination=Termination.TIME_LIMIT, lower_bound=F(18))

    exploration = Exploration(PAIR, hurried)
    setting = Setting(F(50), ONE, PLAIN)
    started(exploration, setting).wait()
    figures = exploration.figures(setting, "FCFS")
    assert figures.ratio == 1 and figures.result.gap == F(1, 3) and figures.optimum_name == "best known"
    assert figures.line == "FCFS 24  ·  best known 24  ·  ratio 1.000  ·  bound 18  ·  not proven, gap 33.33 %"


def test_no_schedule_and_errors_are_messages():
    def failing(instance, stop):
        if instance.slot == 0:
            raise TooLargeError("too many ticks")
        if instance.slot == 3:
            raise ZeroDivisionError("a fault")
        return oas.solve(instance)

    exploration = Exploration(PAIR, failing)
    setting = Setting(F(50), F(1, 4), PLAIN)
    started(exploration, setting).wait()
    infeasible = exploration.figures(setting, "FCFS")
    assert infeasible.outcome.status is Status.INFEASIBLE and infeasible.result is None and infeasible.row.note
    assert "no schedule: no allocation exists for A, B: the links are too narrow" in infeasible.line
    assert exploration.figures(replace(setting, percent=F(0)), "FCFS").line.endswith("optimum: too many ticks")
    assert exploration.figures(replace(setting, percent=F(25)), "FCFS").line.endswith("ZeroDivisionError: a fault")


def test_close_ends_solve_and_thread():
    held = Held()
    exploration = Exploration(PAIR, held)
    exploration.request(Setting(F(50), ONE, PLAIN), "FCFS")
    assert held.began.wait(60)
    exploration.close()
    assert held.stopped == [(6, 1)] and not held.solved
    assert "oas.explore" not in [thread.name for thread in threading.enumerate()]


@pytest.fixture
def view():
    widget = oas.explore(PAIR, time_limit=60)
    yield widget
    widget.close()
    assert "oas.explore" not in [thread.name for thread in threading.enumerate()]


def test_the_widget_follows_its_controls(view):
    """Solves by `oas.solve` in the background thread."""
    assert view.slot.value == 50 and view.policy.value == PLAIN and view.method.value == "FCFS"
    assert "FCFS 24" in view.line.value and view.charts.value.startswith("<svg")
    view.exploration.wait()
    assert view.line.value == f"<b>{view.figures.line}</b>" and "optimum 24" in view.line.value
    assert view.charts.value.count("<svg") == 2
    view.policy.value = SLOWDOWN
    assert "PATIENT" in view.method.options and view.method.value == "FCFS"
    view.method.value = "PATIENT"
    assert view.line.value.startswith("<b>PATIENT ")
    view.exploration.wait()
    assert "optimum 18  ·" in view.line.value and view.figures.result.instance.saturation == SLOWDOWN
    view.policy.value = PLAIN
    assert view.method.value == "FCFS" and "optimum 24" in view.line.value  # known already
    view.factor.value = F(2)
    view.slot.value = F(0)
    view.exploration.wait()
    assert "optimum 12" in view.line.value
    bundle = view._repr_mimebundle_()
    assert {"application/vnd.jupyter.widget-view+json", "text/html"} <= set(bundle)


def labels(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


@pytest.mark.parametrize(
    ("status", "names"),
    [
        (Status.OPTIMAL, ["FCFS", "optimum at η = 0", "optimum"]),
        (Status.FEASIBLE, ["FCFS", "best known schedule at η = 0", "best known, with its bound"]),
    ],
)
def test_the_curve_shows_each_makespan_and_whether_it_is_proven(status, names):
    def solver(instance, stop):
        return replace(optimum(instance), status=status)

    exploration = Exploration(PAIR, solver)
    setting = Setting(F(50), ONE, PLAIN)
    before = exploration.figures(setting, "FCFS")
    assert labels(makespan_curve(before)) == ["FCFS"] and len(gantt_charts(before).axes) == 1
    started(exploration, setting).wait()
    figures = exploration.figures(setting, "FCFS")
    curve = makespan_curve(figures)
    assert labels(curve) == names and len(gantt_charts(figures).axes) == 2
    marks = [line for line in curve.axes[0].lines if line.get_marker() == "o" and len(line.get_xdata())]
    assert [(line.get_xdata()[0], line.get_ydata()[0]) for line in marks] == [
        (float(point.percent), float(point.result.objective)) for point in figures.curve
    ]
    assert {line.get_mfc() == "white" for line in marks} == {status is not Status.OPTIMAL}


def test_a_closed_widget_stops_the_solve_of_the_toolkit():
    large = oas.generate.section4(seed=0, jobs=32, clusters=4, nodes=8)
    widget = oas.explore(large, heuristics=["FCFS", "SJF"], time_limit=None)
    assert widget.method.options == ("FCFS", "SJF") and "computing" in widget.line.value
    widget.close()
    assert "oas.explore" not in [thread.name for thread in threading.enumerate()]


def test_names_are_escaped():
    named = replace(PAIR, jobs=(Job("<b>&", 1, 12), Job('"', 1, 12)), name="<i>")
    widget = oas.explore(named)
    try:
        assert "<svg" in widget.charts.value and "<b>&" not in widget.charts.value
    finally:
        widget.close()


def test_what_cannot_be_explored_is_refused(monkeypatch):
    shared = oas.MospInstance([oas.Organization("O", 2, [oas.RigidJob("a", 2, 1)])])
    with pytest.raises(InputError, match="only instances of co-allocation"):
        oas.explore(shared)
    with pytest.raises(InputError, match="time_limit"):
        oas.explore(PAIR, time_limit=-1)
    with pytest.raises(InputError, match="heuristics: unknown"):
        oas.explore(PAIR, heuristics="FCFSS")
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    monkeypatch.delitem(sys.modules, "oas.coallocation.explore_widget", raising=False)
    with pytest.raises(InputError, match=r"pip install 'oas-scheduling\[notebooks\]'"):
        oas.explore(PAIR)
