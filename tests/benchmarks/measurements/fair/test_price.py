"""What the measurement of the price of fairness draws and prints."""

from __future__ import annotations

import pytest

from benchmarks.measurements.fair.price import FAMILIES, JOBS, instances, main
from heuristics.registry import find_method
from oas.problems.fair.objectives import open_at_horizon
from oas.problems.fair.problem import FAIR


def test_the_horizon_is_amid_the_work_or_at_its_end() -> None:
    for family in FAMILIES:
        drawn = list(instances(family, 6, 0))
        assert len(drawn) == 6 and all(len(one.jobs) in JOBS and len(one.organizations) == 3 for one in drawn)
        late = [open_at_horizon(one, find_method("REF", FAIR)(one, seed=0)) for one in drawn]
        assert not any(late) if family.whole else any(late)


@pytest.mark.slow
def test_the_tables(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--count", "1", "--seed", "1", "--seconds", "5"])
    shown = capsys.readouterr().out
    assert "all work until the end: 1 instances" in shown
    rows = [line.split(" | ") for line in shown.splitlines() if line.startswith(("| psi_sp", "| flow", "| makespan"))]
    assert len(rows) == 12 and {len(row) for row in rows} == {9}
    assert [row[2] for row in rows[-2:]] == ["1", "1"]
