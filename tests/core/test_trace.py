"""The trace of a solve, from progress reports to figures."""

from __future__ import annotations

from fractions import Fraction as F

import oas
from oas.core.trace import TracePoint
from oas.exact.progress import SolveProgress


def traced(*reports: tuple) -> oas.Trace:
    trace = oas.Trace()
    for seconds, bound, makespan, *part in reports:
        trace(SolveProgress("search", seconds, bound, makespan, *part))
    return trace


def test_a_point_is_a_change_of_bound_or_makespan():
    trace = traced((0.0, None, None), (1.0, None, F(9)), (2.0, F(5), F(9)), (3.0, F(5), F(9)), (4.0, F(5), F(7)))
    assert trace.points == (TracePoint(1.0, None, F(9)), TracePoint(2.0, F(5), F(9)), TracePoint(4.0, F(5), F(7)))
    assert trace.seconds == 4.0


def test_a_stage_without_news_lengthens_it():
    assert traced((1.0, F(5), F(9)), (8.0, F(5), F(9))).seconds == 8.0


def test_a_value_that_a_solver_takes_back_is_kept_as_it_was():
    trace = traced((1.0, F(5), F(9)), (2.0, F(8), F(9)), (3.0, F(5), F(9)))
    assert [one.lower_bound for one in trace.points] == [F(5), F(8), F(5)]


def test_further_solves_of_a_comparison_are_left_out():
    trace = traced((1.0, F(5), F(9)), (2.0, F(3), F(4), "η = 0"), (0.1, None, None, "without locality"))
    assert trace.points == (TracePoint(1.0, F(5), F(9)),) and trace.seconds == 1.0


def test_a_new_solve_begins_anew():
    assert traced((1.0, F(5), F(9)), (0.0, None, None), (0.5, F(1), F(2))).points == (TracePoint(0.5, F(1), F(2)),)


def test_as_a_frame_and_as_text():
    trace = traced((1.0, None, F(9)), (2.0, F(9, 2), F(9)))
    frame = trace.to_frame()
    assert frame.columns.to_list() == ["seconds", "lower_bound", "makespan"]
    assert frame.iloc[1].to_list() == [2.0, 4.5, 9.0] and frame["lower_bound"].isna().to_list() == [True, False]
    assert repr(trace) == "Trace: 2 points in 2.000 s\n  2.000 s: makespan 9, lower bound 9/2 (about 4.5)"
    assert repr(oas.Trace()) == "Trace: 0 points in 0.000 s"


def test_a_solve_ends_in_what_its_result_says():
    trace = oas.Trace()
    result = oas.solve(oas.generate.section4(seed=3), on_progress=trace)
    assert (trace.points[-1].lower_bound, trace.points[-1].objective) == (result.lower_bound, result.objective)
    seconds = [one.seconds for one in trace.points]
    assert seconds == sorted(seconds) and seconds[-1] <= trace.seconds <= result.seconds["total"]


def test_of_a_comparison_it_is_the_exact_result():
    for instance in (
        oas.generate.section4(seed=3),
        oas.generate.uni(seed=11, organizations=2, jobs=6, processors=8),  # whose locality costs something
    ):
        trace = oas.Trace()
        result = oas.compare(instance, heuristics=[], on_progress=trace).result
        assert (trace.points[-1].lower_bound, trace.points[-1].objective) == (result.lower_bound, result.objective)
