"""The scripts of `benchmarks.measurements` on the least of their instances: what they make is solved and verified."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.common import busy
from benchmarks.measurements import (
    ablation,
    fair_price,
    fair_reference,
    simulate,
    slot_cost,
)
from benchmarks.measurements.limit_instances import INSTANCES, draw, many_processors, thousand_task_counts
from benchmarks.measurements.limits import solved
from benchmarks.measurements.start_up import COMMANDS, OAS, seconds
from benchmarks.measurements.tight_links import links_matter, main, without_links
from oas.core.registry import FAIR
from oas.fair.objectives import open_at_horizon
from oas.generate import tiny
from oas.io import load_answer, save
from oas.queueing.policies import POLICIES, find_policy
from oas.queueing.stream import checked_reservations
from oas.solving.brute_force import brute_force
from oas.solving.methods import find_method
from oas.solving.pipeline import solve
from tests.logs.log_writers import busy_cluster, scheduled, swf


@pytest.mark.slow
def test_limits(tmp_path: Path) -> None:
    assert {job.tasks for job in thousand_task_counts().jobs} == set(range(1, 1001))
    assert {one.processors for one in many_processors().organizations} == {100_000}
    file = tmp_path / "few.json"
    save(INSTANCES["MOSP, 8 jobs, seed 5"](), file)
    with busy(1):
        found = solved(file, 60, Path(os.environ.get("NUMBA_CACHE_DIR", tmp_path / "code")))
    assert found.status == "optimal" and 0 < found.clock < found.call and found.after is None
    assert load_answer(tmp_path / "few.result.json").status.value == "optimal"
    kinds = [draw(seed) for seed in range(8)]
    assert {instance.variant for instance in kinds} >= {"", "forbid", "slowdown"}
    save(max(kinds, key=lambda one: len(one.jobs)), file)
    interrupted = (solved(file, interrupt=seconds) for seconds in (4, 16, 64, 256))  # a busy machine may need longer
    assert any(one.status in ("optimal", "feasible") for one in interrupted)


def test_start_up(tmp_path: Path) -> None:
    code = tmp_path / "code"
    seconds([*OAS, "example", "grid.json"], tmp_path, code)
    assert all(seconds(command, tmp_path, code) > 0 for command in list(COMMANDS.values())[:3])


def test_tight_links_answers_are_those_of_brute_force(tmp_path: Path) -> None:
    answers = []
    for seed in range(25):
        instance = tiny(seed=seed, jobs=3, nodes=5)
        truth = brute_force(instance)[0] > brute_force(without_links(instance))[0]
        answers.append(links_matter(instance, seconds=120))
        assert answers[-1] is truth, seed
    assert {True, False} == set(answers)
    path = tmp_path / "table.md"
    assert main(["--seeds", "1", "--seconds", "120", "--output", str(path)]) == 0
    text = path.read_text(encoding="utf-8")
    assert "python -m benchmarks.measurements.tight_links --seeds 1 --seconds 120" in text
    assert "| std | 100 % | 1 | 1 | 0 | 0 % |" in text
    assert text.count("| tight |") == 2


@pytest.mark.slow
def test_slot_cost_has_a_row_and_a_picture(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    sizes = ["--jobs", "2", "--seeds", "2", "--percents", "100", "200", "250", "--model-seconds", "60"]
    assert slot_cost.main([*sizes, "--output", str(page), "--pictures", str(tmp_path)]) == 0
    row = next(line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| 2 | 200 % |"))
    assert row.startswith("| 2 | 200 % | 2 of 2 |") and row.count("(2)") == 4
    assert (tmp_path / "slot_cost_2.png").exists()


def test_streams_fit_the_machine_and_their_schedules_are_checked() -> None:
    stream, reservations = simulate.made(3000, 100, load=0.8)
    assert checked_reservations(reservations, simulate.MACHINE).shape == (100, 3)
    assert stream.processors.max() <= simulate.MACHINE and len(stream) == 3000
    lengths = reservations[:, 1] - reservations[:, 0]
    left = simulate.MACHINE * int(stream.submit[-1]) - int(np.dot(lengths, reservations[:, 2]))
    assert 0.75 < np.dot(stream.time, stream.processors) / left < 0.85
    wrong = type(find_policy("EASY"))("conservative", "", find_policy("FCFS-strict").engine)
    stream, reservations = simulate.made(300, 5)
    with pytest.raises(AssertionError):  # its schedule breaks the promise of conservative back-filling
        simulate.measure(wrong, stream, simulate.MACHINE, reservations, 1)


def test_every_policy_of_streams_has_a_row(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert simulate.main(["--jobs", "500", "--at-once", "400", "--reservations", "20", "--runs", "1"]) == 0
    assert sum(line.startswith("| ") for line in capsys.readouterr().out.splitlines()) == 1 + 3 * len(POLICIES)
    instance = busy_cluster(1, 30, 8)
    path = tmp_path / "log.swf"
    path.write_text(swf(instance, scheduled(instance, "EASY")))
    assert simulate.main([str(path), "--runs", "1"]) == 0
    assert "log, 8 processors" in capsys.readouterr().out


@pytest.mark.slow
def test_price_of_fairness(capsys: pytest.CaptureFixture[str]) -> None:
    for whole in fair_price.FAMILIES.values():
        drawn = list(fair_price.instances(whole, 3, 0))
        assert all(len(one.jobs) in fair_price.JOBS and len(one.organizations) == 3 for one in drawn)
        late = [open_at_horizon(one, find_method("REF", FAIR)(one, seed=0)) for one in drawn]
        assert not any(late) if whole else any(late)
    fair_price.main(["--count", "1", "--seed", "1", "--seconds", "1"])
    shown = capsys.readouterr().out
    rows = [line.split(" | ") for line in shown.splitlines() if line.startswith(("| psi_sp", "| flow", "| makespan"))]
    assert len(rows) == 12 and {len(row) for row in rows} == {9}


@pytest.mark.slow
def test_fair_reference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ticks = fair_reference.made(4, 500, 9, 0.8, seed=3)
    assert (ticks.job_count, ticks.total, ticks.organization_count) == (500, 9, 4)
    assert abs(int(ticks.time.sum()) / (9 * ticks.horizon) - 0.8) < 0.001
    lines = [f"{n} {3 * n} 0 {5 + n % 7} {1 + n % 2} -1 -1 -1 -1 -1 1 {n % 12} -1 -1 -1 -1 -1 -1" for n in range(1, 61)]
    log = tmp_path / "small.swf"
    log.write_text("; MaxProcs: 8\n" + "\n".join(lines) + "\n")
    (_, whole), (_, first) = fair_reference.of_log(fair_reference.Log(log, 9))
    assert (whole.organization_count, whole.total, whole.job_count) == (5, 9, 90)
    assert (first.organization_count, first.total, first.job_count) == (10, 17, 90)
    assert fair_reference.main(["--runs", "1", "--scale", "400"]) == 0
    assert fair_reference.main([f"{log}:9", "--runs", "1", "--check"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("| load") == 4 and shown.count("| small, ") == 2


def test_ablation_switches_off_what_contributed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second call makes no run again."""
    campaign, rows = tmp_path / "few.toml", tmp_path / "rows.jsonl"
    campaign.write_text(
        'name = "few"\n[limits]\ntime = 60\n[[instances]]\ngenerator = "section4"\nseeds = "0"\n'
        'parameters = { jobs = 6, slot_percent = 10 }\n[[methods]]\nexact = "auto"\n'
    )
    used: list[tuple[str, ...]] = []
    off = ablation.Mechanism(("FCFS",), ((ablation.coallocation, "COMPLETE", ("placed",)),))
    monkeypatch.setattr(ablation, "MECHANISMS", {"chronological": off})

    def noted(*given: Any, **more: Any) -> Any:
        used.append(ablation.coallocation.COMPLETE)
        return solve(*given, **more)

    monkeypatch.setattr(ablation, "solve", noted)
    for _ in range(2):
        ablation.main([str(campaign), str(rows)])
        assert "1 of 1 instances are proven" in capsys.readouterr().out
    assert used == [("relaxed", "placed"), ("placed",)]
    first, second = map(json.loads, rows.read_text().splitlines())
    assert (first["without"], second["without"]) == ("", "chronological")
    assert "FCFS" in first["contributed"] and first["makespan"] == second["makespan"]
