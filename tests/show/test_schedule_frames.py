"""Schedules from data frames."""

import pytest

import heuristics
import oas

ROW = {"job": ["a"], "start": [0], "end": [1.5], "cluster": ["c"], "nodes": ["0-2,5"]}


def test_a_schedule_is_read_back_from_its_frame():
    schedule = heuristics.FCFS(oas.load_example("grid"))
    assert oas.schedule_from_frame(schedule.to_frame()) == schedule


def test_rows_per_cluster_and_ranges_of_nodes_are_read():
    placement = oas.schedule_from_frame(ROW | {"nodes": ["0-2, 5"]}, method="other tool").placements[0]
    assert placement == oas.Placement("a", 0, "1.5", {"c": [0, 1, 2, 5]})
    two = {name: values * 2 for name, values in ROW.items()} | {"cluster": ["c", "d"], "nodes": [[1], (0, 2)]}
    assert oas.schedule_from_frame(two).placements == (oas.Placement("a", 0, "1.5", {"c": [1], "d": [0, 2]}),)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nodes": ["0-"]}, r"schedule\[0\].nodes: must be numbers and ranges, such as 0-3,7 .*'0-'"),
        ({"nodes": [[-1]]}, "nodes"),
        ({"cluster": [""]}, r"schedule\[0\].cluster: is needed where nodes are no mapping"),
        ({"end": [float("inf")]}, r"schedule\[0\].end: must be a finite number"),
        ({name: values * 2 for name, values in ROW.items()}, r"schedule\[1\].cluster: a has another row for it"),
        (
            {name: values * 2 for name, values in ROW.items()} | {"start": [0, 1], "cluster": ["c", "d"]},
            r"schedule\[1\].start: differs from the times of a above",
        ),
    ],
)
def test_invalid_rows_are_named(change, message):
    with pytest.raises(oas.InputError, match=message):
        oas.schedule_from_frame(ROW | change)


def test_makespans_can_be_formatted():
    schedule = oas.schedule_from_frame(ROW | {"end": [2 / 3]})
    assert f"{schedule.makespan:.2f} {schedule.makespan}" == "0.67 666667/1000000"
    assert repr(schedule.makespan) == "Fraction(666667, 1000000)"
