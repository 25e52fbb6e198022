"""The benchmark of formulations measures what it says, on instances small enough for a test."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.measurements.coallocation.formulations import COLUMNS, ENTRIES, head, lines, measure, size
from oas.generate.coallocation.section4 import section4
from oas.models.coallocation import literal
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup

# Heuristics need 13, bounds say 11, the optimum is 12.
JOBS = [Job(f"J{index}", tasks, time) for index, (tasks, time) in enumerate([(1, 5), (1, 5), (1, 4), (1, 4), (1, 4)])]
OPEN = CoallocationInstance([Cluster("A", [NodeGroup(2, 1)], 0)], JOBS, slot=1)


@pytest.mark.slow
def test_a_line_says_what_was_proven() -> None:
    for entry in ENTRIES:
        cells = dict(zip(COLUMNS[5:], measure(OPEN, entry.formulation, entry.solver, 60), strict=True))
        assert (cells["heuristic"], cells["first bound"]) == (13, 11)
        assert (cells["makespan"], cells["proven bound"], cells["optimal"]) == (12, 12, "yes")
        assert cells["ended"] == "finished"
        assert (cells["variables"], cells["rows"]) == size(OPEN, entry.formulation, 13, 11)


def test_the_table_has_a_line_for_each_run() -> None:
    quick = [
        replace(entry, percents=(250,), seconds=5) for entry in ENTRIES if entry.formulation is not literal.FORMULATION
    ]
    table = list(lines(1, quick[:1]))
    assert table[0].count("|") == len(COLUMNS) + 1
    assert [line.split(" | ")[:5] for line in table[2:]] == [
        ["| std", "0", "250", "start-indexed", "highs"],
        ["| tight", "0", "250", "start-indexed", "highs"],
    ]
    assert all(line.count("|") == len(COLUMNS) + 1 for line in table)


def test_a_model_too_large_has_no_size() -> None:
    instance = section4(slot_percent=1)
    assert size(instance, literal.FORMULATION, instance.slot * 1000, instance.slot) == ("–", "–")


def test_the_head_says_how_and_where() -> None:
    text = "\n".join(head(3))
    assert "python -m benchmarks.measurements.coallocation.formulations --seeds 3" in text
    assert "pyomo" in text and "highspy" in text and "CPUs" in text
