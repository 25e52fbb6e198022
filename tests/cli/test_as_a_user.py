"""The commands as a user types them: real processes, terminals, pipes, full disks and signals."""

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

import psutil
import pytest

import oas
import oas.io
from oas.generate import section4
from tests.commands import GRID, OAS, check_mistake, environment, run
from tests.slow import mostly_slow


def fill(folder):
    oas.save(oas.generate.tiny(seed=5), folder / "tiny.json")
    oas.save(section4(seed=1, jobs=100, slot_percent=5), folder / "hard.json")
    oas.save(section4(jobs=14, slot_percent=10, bandwidth="tight"), folder / "wide.json")
    oas.save(oas.generate.uni(seed=1, organizations=3, jobs=9, processors=16), folder / "mosp.json")


@pytest.fixture
def hard_solve(folder):
    """A long solve, with its solver at work."""
    process = subprocess.Popen(
        [*OAS, "solve", "hard.json", "--output", "best.json"],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    end = time.monotonic() + 60
    while not workers_of(process.pid) and time.monotonic() < end:
        time.sleep(0.1)
    assert workers_of(process.pid), "no solver was started"
    time.sleep(0.5)
    yield process
    if process.poll() is None:
        process.kill()
    process.communicate()


def workers_of(pid):
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def gone(processes, seconds):
    _, alive = psutil.wait_procs(processes, timeout=seconds)
    return not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]


def test_an_interrupted_solve_keeps_the_best_schedule(folder, run_here, hard_solve):
    workers = workers_of(hard_solve.pid)
    hard_solve.send_signal(signal.SIGINT)
    shown, _ = hard_solve.communicate(timeout=60)
    assert hard_solve.returncode == 130
    assert "interrupted" in shown
    assert run_here("verify", "hard.json", "best.json").returncode == 0
    assert gone(workers, 60)
    assert list((folder / "tmp").iterdir()) == []


def test_results_travel_through_pipes(folder):
    solved = run(folder, "solve", "-", "--json", stdin=(folder / "tiny.json").read_text())
    assert solved.returncode == 0, solved.stderr
    checked = run(folder, "verify", "tiny.json", "-", stdin=solved.stdout)
    assert checked.returncode == 0 and "optimal" in checked.stdout


def test_a_tampered_result_is_refused(folder, run_here):
    oas.save(oas.load(GRID), folder / "grid.json")
    document = json.loads(oas.io.dumps(oas.solve(oas.load(GRID), time_limit=60)))
    document |= {"lower_bound": document["objective"] * 2, "gap": -0.5}
    (folder / "bad.json").write_text(json.dumps(document))
    done = run_here("verify", "grid.json", "bad.json")
    assert done.returncode in (2, 3) and "Traceback" not in done.stderr
    assert done.stderr.startswith("oas: ")


MISTAKES = [
    (["solve", "missing.json"], "missing.json"),
    (["solve", "hard.json", "--solver", "nonesuch", "--formulation", "start-indexed"], "nonesuch"),
    (["solve", "tiny.json", "--option", "nothing"], "nothing"),
    (["solve", "tiny.json", "--output", "no/such/folder/x.json"], "no/such/folder"),
    (["verify", "tiny.json", "tiny.json"], "tiny.json"),
    (["schema", "nonesuch"], "Invalid value for 'KIND': 'nonesuch' is not one of"),
    (["appraise", "log.swf", "--windows", "0"], "Invalid value for '--windows': must be greater than or equal to 1"),
    (["convert", "tiny.json"], "format: is no job log but an oas-instance"),
    (["nonesuch"], "nonesuch"),
]


@pytest.mark.parametrize(("arguments", "named"), MISTAKES, ids=[" ".join(one[0])[:40] for one in MISTAKES])
def test_a_users_mistake_is_named_without_a_traceback(run_here, arguments, named):
    done = run_here(*arguments, "-q" if arguments[0] in ("solve", "compare") else "--")
    check_mistake(done, named, codes=(2, 4))


@pytest.mark.slow
def test_a_users_own_heuristic_that_breaks_rules_ends_with_3(folder, run_here):
    (folder / "mine.py").write_text("import oas\n\ndef breaks(instance, *, seed=0):\n    return oas.Schedule([])\n")
    done = run_here("compare", "tiny.json", "--heuristic", "mine:breaks", "-q")
    assert done.returncode == 3 and "missing_job" in done.stdout and "FPFS" in done.stdout
    assert done.stderr.startswith(f"oas: loads mine:breaks from {folder / 'mine.py'}\n")


@pytest.mark.slow
def test_a_fake_cbc_never_makes_a_wrong_claim(folder):
    fake = folder / "cbc"
    fake.write_text("#!/bin/sh\necho Optimal - objective value 1.0\nexit 0\n")
    fake.chmod(0o755)
    done = run(folder, "solve", str(GRID), "--solver", "cbc", "--json", "-q", OAS_CBC=str(fake))
    assert done.returncode == 4
    result = json.loads(done.stdout)
    assert (result["status"], result["termination"]) == ("feasible", "error")
    assert run(folder, "doctor", "--solver", "cbc", OAS_CBC=str(fake)).returncode == 4
    assert list((folder / "tmp").iterdir()) == []


@pytest.mark.slow
def test_a_background_job_can_be_ended(folder):
    """A shell's background job ignores Ctrl-C; being asked to terminate must work all the same."""
    script = folder / "background.sh"
    script.write_text(f"trap '' INT\nexec {sys.executable} -m oas solve hard.json --output best.json\n")
    process = subprocess.Popen(["bash", str(script)], cwd=folder, env=environment(folder), stdout=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while not workers_of(process.pid) and time.monotonic() < end:
        time.sleep(0.1)
    workers = workers_of(process.pid)
    time.sleep(0.5)
    process.terminate()
    assert process.wait(timeout=60) == 130
    assert gone(workers, 60) and workers
    assert run(folder, "verify", "hard.json", "best.json").returncode == 0


WIDTH = 100


class Terminal:
    """A command whose stdout and stderr are one terminal of `WIDTH` columns."""

    def __init__(self, folder, *arguments):
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

    def read(self, until="\0", seconds=60):
        """Read until the regular expression is found or the command has ended; return all there was so far."""
        end = time.monotonic() + seconds
        while not re.search(until, self.text) and time.monotonic() < end:
            if select.select([self.reader], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self.reader, 1 << 16).decode("utf-8", "replace")
                except OSError:  # raised on Linux if the other end is closed
                    break
        return self.text

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.reader)


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
def test_progress_lines_continue_without_changes(folder):
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


@pytest.mark.slow
def test_a_closed_pipe_is_not_an_error(folder):
    done = shell(folder, "oas solve tiny.json -q -o kept.json | true; echo ${PIPESTATUS[0]}")
    assert (done.stdout, done.stderr) == ("0\n", "")
    assert (folder / "kept.json").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("command", mostly_slow(["solve tiny.json -q", "schema"], quick=["schema"]))
def test_a_full_disk_is_reported(folder, command):
    done = shell(folder, f"oas {command} > /dev/full")
    assert done.returncode == 2
    kept = re.fullmatch(
        "oas: <stdout>: cannot be written: No space left on device(; saved as (.*/stdout.txt))?\n", done.stderr
    )
    assert kept is not None and bool(kept[1]) == command.startswith("solve")
    assert not kept[2] or "placements" in Path(kept[2]).read_text() or "makespan" in Path(kept[2]).read_text()


@pytest.mark.slow
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


HEAVY = {"matplotlib", "pandas", "scipy", "pyomo", "dask", "ortools", "psutil"}


def imported(*arguments):
    """The modules that a command imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *OAS[1:], *arguments], capture_output=True, text=True, check=True
    )
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}


def test_help_imports_no_command():
    modules = imported("--help")
    assert not {name for name in modules if name.startswith("oas.cli.commands.")} and "numpy" not in modules


@pytest.mark.parametrize("command", mostly_slow(["compare", "verify"], quick=["compare"]))
def test_no_heavy_library_is_imported_for_few_jobs(command, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # on a busy machine kernels may outlast the patience for plain calls
    files = [str(GRID)]
    if command == "verify":
        files.append(str(tmp_path / "result.json"))
        subprocess.run([*OAS, "solve", str(GRID), "-q", "-o", files[-1]], capture_output=True, check=True)
    modules = imported(command, *files)
    assert not HEAVY & modules


REQUESTS = [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2]


@pytest.mark.parametrize("number", mostly_slow(REQUESTS, quick=[signal.SIGUSR1]))
@pytest.mark.parametrize("to_all", mostly_slow([False, True], quick=[True]))
def test_a_request_of_a_job_system_keeps_the_best_schedule(run_here, hard_solve, number, to_all):
    """Job systems send it to the command alone, or to all processes of the job."""
    workers = workers_of(hard_solve.pid)
    for process in workers if to_all else []:
        process.send_signal(number)
    hard_solve.send_signal(number)
    shown, errors = hard_solve.communicate(timeout=60)
    assert hard_solve.returncode == 130 and "interrupted" in shown and "Traceback" not in errors
    assert run_here("verify", "hard.json", "best.json").returncode == 0
    assert gone(workers, 60)


def test_nohup_goes_on_after_a_hangup(folder):
    script = "trap '' HUP; exec \"$0\" -m oas solve hard.json --time-limit 4 --json -q"
    process = subprocess.Popen(
        ["bash", "-c", script, sys.executable], cwd=folder, env=environment(folder), stdout=subprocess.PIPE, text=True
    )
    end = time.monotonic() + 60
    while not workers_of(process.pid) and time.monotonic() < end:
        time.sleep(0.1)
    process.send_signal(signal.SIGHUP)
    result = json.loads(process.communicate(timeout=60)[0])
    assert process.returncode == 0 and result["termination"] == "time_limit"


@pytest.mark.slow
def test_a_closed_terminal_keeps_the_best_schedule(folder, run_here, terminal):
    """The terminal sends SIGHUP, and everything written to it fails."""
    shown = terminal("solve", "hard.json", "--output", "best.json")
    assert "search" in shown.read("search")
    os.close(shown.reader)
    shown.reader = os.open(os.devnull, os.O_RDONLY)
    shown.process.send_signal(signal.SIGHUP)
    assert shown.process.wait(60) in (2, 130)
    assert run_here("verify", "hard.json", "best.json").returncode == 0


def test_stdin_that_is_closed_is_named(folder):
    done = shell(folder, "oas solve - <&-")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "oas: <stdin>: cannot be read: standard input is closed\n"


@pytest.mark.slow
@pytest.mark.parametrize("stream", ["<&-", "<&- >&-", "<&- 2>&-"])
def test_closed_streams_take_no_output_of_others(folder, run_here, stream):
    shell(folder, f"oas solve tiny.json -o kept.json --gantt kept.png {stream}")
    assert run_here("verify", "tiny.json", "kept.json").returncode == 0
    assert (folder / "kept.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "redirection", mostly_slow(["| cat > all", "> all", ">> all"], quick=["> all"]), ids=["pipe", "file", "appended"]
)
def test_stdout_named_as_a_file_takes_result_and_table(folder, redirection):
    done = shell(folder, f"oas solve tiny.json -q -o /dev/stdout {redirection}")
    assert done.returncode == 0 and not done.stderr
    text = (folder / "all").read_text()
    document, end = json.JSONDecoder().raw_decode(text)
    assert document["format"] == "oas-result" and re.search(r"^status +optimal", text[end:], re.MULTILINE)


def test_results_go_to_another_command(folder, run_here):
    done = shell(folder, "oas generate section4 --seed 3 -o >(cat > given.json) && wait $!")
    assert done.returncode == 0 and not done.stderr
    assert run_here("schema", "instance").returncode == 0  # any command: the file is complete by now
    assert json.loads((folder / "given.json").read_text())["format"] == "oas-instance"


def test_a_descriptor_that_is_not_open_is_refused_at_once(folder):
    done = shell(folder, "oas solve tiny.json -o /dev/fd/77")
    assert done.returncode == 2 and done.stderr == "oas: --output: is not open for writing (got '/dev/fd/77')\n"


@pytest.mark.parametrize("solver", mostly_slow(["auto", "cbc", "highs"], quick=["cbc"]))
def test_a_deleted_working_folder_is_no_obstacle(folder, solver):
    file, kept = folder / "mosp.json", folder / "kept.json"
    done = shell(folder, f"mkdir gone; cd gone; rmdir ../gone; oas solve {file} -q --solver {solver} -o {kept}")
    assert done.returncode == 0 and kept.exists(), done.stderr
    done = shell(folder, f"mkdir gone; cd gone; rmdir ../gone; oas solve {file} -q -o out.json")
    assert done.returncode == 2
    assert "--output: cannot be written: the working folder has been deleted" in done.stderr


@pytest.mark.parametrize(
    ("level", "solver"),
    mostly_slow([("1", "highs"), ("2", "auto"), ("2", "cbc"), ("2", "highs")], quick=[("2", "highs")]),
)
def test_python_without_asserts_and_docstrings_solves_the_same(folder, level, solver):
    done = run(folder, "solve", "tiny.json", "-q", "--solver", solver, "--json", PYTHONOPTIMIZE=level)
    assert done.returncode == 0, done.stderr
    plain = run(folder, "solve", "tiny.json", "-q", "--solver", solver, "--json")
    assert {json.loads(one.stdout)["status"] for one in (done, plain)} == {"optimal"}
    assert json.loads(done.stdout)["objective"] == json.loads(plain.stdout)["objective"]


def test_what_needs_docstrings_in_this_process_says_so(folder):
    check_mistake(
        run(folder, "export", "tiny.json", "--lp", "t.lp", PYTHONOPTIMIZE="2"), "unset PYTHONOPTIMIZE", codes=(4,)
    )


def test_ctrl_c_during_the_imports_is_one_line(folder):
    (folder / "typer.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\n")
    path = os.pathsep.join([str(folder), str(Path(__file__).parents[2])])
    command = [sys.executable, "-c", "from oas.cli.start import main; main()"]
    done = subprocess.run(
        command, env=environment(folder, PYTHONPATH=path), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (130, "oas: interrupted\n")


NOBODY = ["unshare", "-U", "--map-user=12345", "--map-group=12345", "env", "-u", "HOME", "-u", "XDG_CACHE_HOME"]


@pytest.mark.slow
def test_a_user_without_home_and_name_solves_and_draws(folder):
    try:
        possible = subprocess.run([*NOBODY, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        possible = False
    if not possible:
        pytest.skip("no user namespaces here")
    arguments = ["solve", "tiny.json", "-q", "--check", "cbc", "-o", "kept.json", "--gantt", "kept.png"]
    done = subprocess.run(
        [*NOBODY, *OAS, *arguments], cwd=folder, env=environment(folder), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    assert (folder / "kept.json").exists() and (folder / "kept.png").exists()
