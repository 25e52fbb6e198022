"""What a terminal, a pipe and a full disk get to see."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

import oas
from oas.generate import section4
from tests.commands import GRID, OAS, environment, run
from tests.slow import mostly_slow

WIDTH = 100


class Terminal:
    """A command whose stdout and stderr are one terminal of `WIDTH` columns."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.reader, writer = pty.openpty()
        fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 40, WIDTH, 0, 0))
        variables = {name: value for name, value in environment(folder).items() if name != "COLUMNS"}
        self.process = subprocess.Popen(
            [*OAS, *arguments],
            cwd=folder,
            env={**variables, "TERM": "xterm"},
            stdin=subprocess.DEVNULL,
            stdout=writer,
            stderr=writer,
            start_new_session=True,
        )
        os.close(writer)
        self.text = ""

    def read(self, until: str = "\0", seconds: float = 60) -> str:
        """Read until the regular expression is found or the command has ended; return all there was so far."""
        end = time.monotonic() + seconds
        while not re.search(until, self.text) and time.monotonic() < end:
            if select.select([self.reader], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self.reader, 1 << 16).decode("utf-8", "replace")
                except OSError:  # how Linux says that nobody holds the other end any more
                    break
        return self.text

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.reader)


def fill(folder):
    oas.save(oas.generate.tiny(seed=5), folder / "tiny.json")
    oas.save(section4(seed=1, jobs=100, slot_percent=5), folder / "hard.json")
    oas.save(section4(jobs=14, slot_percent=10, bandwidth="tight"), folder / "wide.json")


@pytest.fixture
def terminal(folder):
    opened = []

    def start(*arguments):
        opened.append(Terminal(folder, *arguments))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def screen(text):
    """The lines that are left standing on a terminal, without colours."""
    lines = []
    for line in text.replace("\r\n", "\n").split("\n"):
        kept = line.rpartition("\r\x1b[K")[2]  # back to the start of the line, and wiped
        lines.append(re.sub(r"\x1b\[[0-9;]*m", "", kept))
    return lines


def test_progress_is_live_and_wiped_when_done(terminal):
    shown = terminal("solve", "hard.json", "--time-limit", "2")
    text = shown.read()
    assert shown.process.wait(30) == 0
    clocks = [float(seconds) for seconds in re.findall(r"\r\x1b\[K +([0-9.]+) s  ", text)]
    assert len(clocks) >= 3 and clocks == sorted(clocks)
    assert re.search(r"search +bound [0-9,.]+  makespan [0-9,.]+  gap [0-9.]+ %", text)
    lines = screen(text)
    assert not any(re.search(r"^ +[0-9.]+ s  ", line) for line in lines)  # no progress line is left
    assert lines[0].startswith("section4 std, 100 jobs")
    assert any(re.match(r"status +feasible \(time limit\)", line) for line in lines)
    assert max(map(len, lines)) <= WIDTH


@pytest.mark.slow
def test_quiet_means_quiet(terminal, folder):
    assert "\r\x1b[K" not in terminal("solve", "tiny.json", "--quiet").read()
    assert run(folder, "solve", "hard.json", "--time-limit", "1", "-q").stderr == ""


@pytest.mark.slow
def test_the_comparison_fits_a_terminal(terminal, folder):
    (folder / "a_module_with_a_long_name.py").write_text(
        "from heuristics.coallocation.list_engine import list_schedule\n"
        "def and_a_function_too(instance, *, seed=0):\n"
        "    return list_schedule(instance, range(len(instance.jobs)), overtaking=True)\n"
    )
    own = "a_module_with_a_long_name:and_a_function_too"
    shown = terminal("compare", str(GRID), "--heuristic", own, "--time-limit", "60", "-q")
    lines = screen(shown.read())
    assert shown.process.wait(30) == 0
    assert max(len(line) for line in lines if not line.startswith("oas: loads ")) <= WIDTH
    (optimum,) = [line for line in lines if line.startswith("optimum ")]
    assert re.search(r" 4,020,000 +[0-9,.]+ +[0-9.]+ % +0 % +[0-9.]+ s$", optimum)
    assert any(line.startswith("not shown for lack of width: ") for line in lines)


@pytest.mark.slow
def test_ctrl_c_at_the_terminal_shows_the_best_schedule(terminal, run_here):
    shown = terminal("solve", "hard.json", "-o", "best.json")
    shown.read(until=r"search +bound")
    os.killpg(shown.process.pid, signal.SIGINT)
    lines = screen(shown.read())
    assert shown.process.wait(30) == 130
    assert any(re.match(r"status +feasible \(interrupted\)", line) for line in lines)
    assert run_here("verify", "hard.json", "best.json").returncode == 0


@pytest.mark.slow
def test_elsewhere_progress_is_lines_that_keep_coming_without_news(folder):
    """The fake solver says nothing at all."""
    fake = folder / "cbc"
    fake.write_text("#!/bin/sh\nexec sleep 600\n")
    fake.chmod(0o755)
    arguments = ["solve", "wide.json", "--solver", "cbc", "--time-limit", "7", "--json"]
    done = run(folder, *arguments, OAS_CBC=str(fake))
    assert done.returncode == 0
    result = json.loads(done.stdout)
    assert (result["status"], result["termination"]) == ("feasible", "time_limit")
    lines = done.stderr.splitlines()
    assert len(lines) >= 2
    assert all(re.match(r" +[0-9.]+ s  [a-zη]", line) for line in lines)
    assert re.match(r" +[0-9.]+ s  (cbc|η = 0) +bound .*  makespan .*  gap ", lines[-1])
    assert list((folder / "tmp").iterdir()) == []


def shell(folder, command, **more):
    """Run a line of shell; `oas` is the command."""
    return subprocess.run(
        ["bash", "-c", f'oas() {{ "{sys.executable}" -m oas "$@"; }}; {command}'],
        cwd=folder,
        env=environment(folder, **more),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize(
    "command",
    mostly_slow(
        [
            "oas solve tiny.json -q -o kept.json",
            "oas solve tiny.json --json -q -o kept.json",
        ],
        quick=["oas solve tiny.json -q -o kept.json"],
    ),
)
def test_a_reader_who_leaves_early_is_no_error(folder, command):
    done = shell(folder, f"{command} | true; echo ${{PIPESTATUS[0]}}")
    assert (done.stdout, done.stderr) == ("0\n", "")
    assert (folder / "kept.json").exists()


@pytest.mark.slow
def test_nobody_reads_the_progress(folder, run_here):
    done = shell(
        folder, "oas solve hard.json --time-limit 1 -o kept.json 2>&1 >/dev/null | true; echo ${PIPESTATUS[0]}"
    )
    assert done.stdout == "0\n"
    assert run_here("verify", "hard.json", "kept.json").returncode == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize(
    "command",
    mostly_slow(
        ["solve tiny.json -q", "solve tiny.json --json -q", "schema", "generate tiny"],
        quick=["schema", "generate tiny"],
    ),
)
def test_a_full_disk_is_said(folder, command):
    done = shell(folder, f"oas {command} > /dev/full")
    assert done.returncode == 2
    kept = re.fullmatch(
        "oas: <stdout>: cannot be written: No space left on device(; saved as (.*/stdout.txt))?\n", done.stderr
    )
    assert kept is not None and bool(kept[1]) == command.startswith("solve")
    assert not kept[2] or "placements" in Path(kept[2]).read_text() or "makespan" in Path(kept[2]).read_text()


def test_closed_standard_streams(folder, run_here):
    done = shell(folder, "oas solve tiny.json -o kept.json >&- 2>&-; echo $?")
    assert done.stdout == "0\n"
    assert run_here("verify", "tiny.json", "kept.json").returncode == 0


@pytest.mark.slow
def test_a_terminal_that_does_not_speak_unicode(folder):
    done = run(folder, "solve", "tiny.json", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0 and "optimal" in done.stdout
    done = run(folder, "compare", "tiny.json", "--json", "-q", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert json.loads(done.stdout)["rows"][0]["method"] == "exact"


def test_pipes_get_no_blanks_at_line_ends(run_here):
    for command in (["solve", "tiny.json"], ["compare", "tiny.json"]):
        lines = run_here(*command).stdout.splitlines()
        assert lines == [line.rstrip() for line in lines]


def test_claims_are_tables_in_a_terminal_and_markdown_elsewhere(terminal, run_here):
    shown = terminal("bench", "claims", "molba-5")
    lines = screen(shown.read())
    assert shown.process.wait(30) == 0
    assert lines[0] == "MOLBA paper" and any(line.startswith("molba-5-related ") for line in lines)
    assert max(map(len, lines)) <= WIDTH
    assert run_here("bench", "claims", "molba-5").stdout.startswith("## MOLBA\n\n| place | statement |")
