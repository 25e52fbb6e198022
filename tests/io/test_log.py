"""Logs in Python: read, as frames, as instances; the same as the commands make of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import oas
from oas.core.errors import InputError
from oas.io.logs.recipes import follow, read_recipe
from oas.io.logs.slices import Slice, cut
from oas.io.logs.windows import choose, window_of
from tests.io.test_swf import line

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """40 jobs of 10 users on 16 processors; of the last, the wait is not known."""
    rows = [
        line(number=k, submit=100 + 10 * k, wait=-1 if k == 40 else k, run=k, processors=1 + k % 2, user=k % 10)
        for k in range(1, 41)
    ]
    file = tmp_path / "made.swf"
    file.write_text("; Acknowledge: Ada Example\n; MaxProcs: 16\n" + "\n".join(rows))
    return file


def test_a_log_in_swf(path: Path) -> None:
    log = oas.logs.read(path)
    assert (log.name, log.format, log.processors) == ("made", "swf", 16)
    assert repr(log) == "Log made (swf): 40 jobs, 16 processors\n  Acknowledge: Ada Example"
    frame = log.to_frame()
    shown = ["job", "submit", "start", "end", "wait", "run_time", "processors", "user"]
    assert frame[shown].iloc[4].to_list() == ["J5", 150, 155, 160, 5, 5, 2, 5]
    assert frame["start"].isna().sum() == frame["end"].isna().sum() == 1
    assert len(log.ran.jobs) == 39
    assert set(frame.drop(columns="job").dtypes.astype(str)) == {"float64"}


def test_an_instance_has_the_defaults_of_the_command(path: Path, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from oas.cli.main import app

    log = oas.logs.read(path)
    out, recipe = tmp_path / "made.json", tmp_path / "made.recipe.json"
    shown = CliRunner().invoke(app, ["convert", str(path), "--count", "40", "-o", str(out), "--recipe", str(recipe)])
    assert shown.exit_code == 0
    made = log.to_instance(count=40)
    assert oas.load(out) == made == cut(log.swf, Slice(count=40)) == follow(read_recipe(recipe), log.swf)
    assert json.loads(made.provenance["slice"])["processors"] == "split" and made.node_count == 16


@pytest.mark.parametrize(
    ("asked", "sizes"),
    [("whole", [16, 16]), ("split", [8, 8]), ("3", [3, 3]), ("-1", None), ("half", None), ("٣", None)],
)
def test_the_processors_of_the_command(path: Path, tmp_path: Path, asked: str, sizes: list[int] | None) -> None:
    from typer.testing import CliRunner

    from oas.cli.main import app

    out = tmp_path / "made.json"
    options = ["--organizations", "2", "--count", "10", "--processors", asked, "-o", str(out)]
    shown = CliRunner().invoke(app, ["convert", str(path), *options])
    if sizes is None:
        assert shown.exit_code == 2 and "must be a number, split or whole" in shown.output
        return
    assert [one.processors for one in oas.load(out).organizations] == sizes
    assert f"processors: {sizes[0]} of each of 2 organizations" in shown.output
    assert ("methods will hardly differ" in shown.output) == (asked != "3")  # then the jobs fill them for long enough


def test_windows_are_those_that_are_appraised(path: Path) -> None:
    log = oas.logs.read(path)
    made = log.windows(jobs=5, windows=2, skip=3, processors=8)
    places = choose(log.ran, jobs=5, windows=2, skip=3)
    assert made == tuple(window_of(log.ran, one, 8) for one in places)
    assert oas.verify(made[0].instance, made[0].schedule) == []
    shown = oas.appraise(log, jobs=5, windows=1, skip=3).to_frame()
    assert shown["makespan"][0] == made[0].makespan


@pytest.mark.parametrize("name", ["sacct.txt", "batsim-jobs.csv"])
def test_logs_without_owners(name: str) -> None:
    log = oas.logs.read(EXAMPLES / name)
    frame = log.to_frame()
    assert len(frame) == len(log.ran.jobs) and (frame["wait"] == frame["start"] - frame["submit"]).all()
    assert (frame["end"] - frame["start"] == frame["run_time"]).all()
    with pytest.raises(InputError, match="only logs in SWF say whose a job is"):
        log.to_instance()
    assert log.windows(jobs=4, windows=1, processors=16)[0].jobs == 4


def test_errors_name_the_file(tmp_path: Path) -> None:
    file = tmp_path / "made.log"
    file.write_text("what is this\n")
    with pytest.raises(InputError, match=r"made\.log: format: cannot be told"):
        oas.logs.read(file)
    with pytest.raises(InputError, match=r"made\.log: line 1"):
        oas.logs.read(file, "swf")
    file.write_text(line(wait=-1))
    with pytest.raises(InputError, match="holds no job that ran"):
        _ = oas.logs.read(file, "swf").ran
