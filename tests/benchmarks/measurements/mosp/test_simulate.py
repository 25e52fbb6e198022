"""The measurement of simulated policies, on few jobs: what it makes can be run, and what it runs is verified."""

import numpy as np
import pytest

from benchmarks.measurements.mosp import simulate
from heuristics.stream.policies import POLICIES, find_policy
from oas.core.stream import checked_reservations
from tests.io.log_writers import busy_cluster, scheduled, swf


def test_jobs_and_reservations_fit_the_machine_and_fill_it_as_asked():
    stream, reservations = simulate.made(3000, 100, load=0.8)
    assert checked_reservations(reservations, simulate.MACHINE).shape == (100, 3)
    assert stream.processors.max() <= simulate.MACHINE and len(stream) == 3000
    lengths = reservations[:, 1] - reservations[:, 0]
    left = simulate.MACHINE * int(stream.submit[-1]) - int(np.dot(lengths, reservations[:, 2]))
    assert 0.75 < np.dot(stream.time, stream.processors) / left < 0.85


def test_every_policy_has_a_row(capsys, tmp_path):
    assert simulate.main(["--jobs", "500", "--at-once", "400", "--reservations", "20", "--runs", "1"]) == 0
    table = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")][1:]
    assert len(table) == 3 * len(POLICIES)
    instance = busy_cluster(1, 30, 8)
    path = tmp_path / "log.swf"
    path.write_text(swf(instance, scheduled(instance, "EASY")))
    assert simulate.main([str(path), "--runs", "1"]) == 0
    assert "log, 8 processors" in capsys.readouterr().out


def test_a_schedule_that_breaks_its_promise_is_no_measurement():
    stream, reservations = simulate.made(300, 5)
    wrong = type(find_policy("EASY"))("conservative", "", find_policy("FCFS-strict").engine)
    with pytest.raises(AssertionError):
        simulate.measure(wrong, stream, simulate.MACHINE, reservations, 1)
