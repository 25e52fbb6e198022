"""The measurement of reservations on logs says what it finds, on a log small enough for a test."""

from __future__ import annotations

from fractions import Fraction as F

import pytest

from benchmarks.measurements.mosp.reservations_on_logs import (
    COST_HEAD,
    HOUR,
    LOSS_HEAD,
    METHODS,
    cost_cells,
    losses,
    main,
)
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, RigidJob
from oas.studies.reservations.placement import place_reservation

HEADER = "; MaxProcs: 4\n; Acknowledge: nobody\n"
# Job, submission, wait, running time, processors: two at a time, the wide one in their way.
JOBS = [
    (1, 0, 0, 7200, 2),
    (2, 0, 0, 3600, 2),
    (3, 60, 7140, 3600, 4),
    (4, 120, 3480, 3600, 2),
    (5, 9000, 1800, 3600, 4),
]


def line(job, submit, wait, time, processors):
    return f"{job} {submit} {wait} {time} {processors} -1 -1 {processors} {time} -1 1 1 1 -1 1 -1 -1 -1\n"


def test_losses_are_ranges_where_optima_are_open():
    assert losses([]) == "–"
    assert losses([(F(1, 10), F(1, 10)), (F(3, 10), F(3, 10))]) == "20.0 %, most 30.0 %"
    assert losses([(F(0), F(1, 10)), (F(1, 10), F(1, 10))]) == "5.0 to 10.0 %, most 10.0 %"


def test_the_cost_of_maintenance_at_every_hour():
    jobs = [RigidJob("a", 3 * HOUR, 2), RigidJob("b", 3 * HOUR, 2)]
    found = place_reservation(
        MospInstance([Organization("O", 2, jobs)], None),
        length=2 * HOUR,
        processors=2,
        between=(0, 8 * HOUR),
        every=HOUR,
        curve=True,
        formulation="brute-force",
    )
    cells = dict(zip(COST_HEAD[1:], cost_cells(found), strict=True))
    solves = cells.pop("solves")
    assert int(solves) == len(found.steps)
    assert cells == {
        "jobs": "2",
        "without, h": "6.0",
        "at once": "2.0",
        "worst start": "4.0",  # at 2 hours, and at 5: one idle hour more each time
        "best start, h": "6.0",
        "there": "0.0",
        "free starts": "3 of 9",
        "proven": "9",
    }


@pytest.mark.slow
def test_both_tables_of_a_log(tmp_path):
    (tmp_path / "small.swf").write_text(HEADER + "".join(line(*job) for job in JOBS))
    (tmp_path / "empty.swf").write_text(HEADER + line(1, 0, -1, 10, 1))
    output = tmp_path / "page.md"
    limits = ["--seconds", "20", "--curve-seconds", "60", "--hours", "1", "--output", str(output)]
    logs = [str(tmp_path / "small.swf"), str(tmp_path / "empty.swf")]
    assert main([*logs, "--windows", "1", "--jobs", "3", "--busy", "1/10", *limits]) == 0
    text = output.read_text()
    rows = [row.strip("| ").split(" | ") for row in text.splitlines() if row.startswith("| small")]
    loss, cost = (dict(zip(head, row, strict=True)) for head, row in zip((LOSS_HEAD, COST_HEAD), rows, strict=True))
    assert (loss["windows"], loss["proven"]) == ("1", "1") and all("most" in loss[method] for method in METHODS)
    assert cost["jobs"] == "3" and cost["proven"] == "169" and cost["there"] == "0.0"
    assert "Acknowledge: nobody" in text and "Left out: empty.swf: the log holds no job that ran" in text
