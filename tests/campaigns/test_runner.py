"""Misbehaving heuristics, each next to good ones that must succeed; limits enforced by the parent."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass

import psutil
import pytest

from oas.campaigns.engines import pool_engine
from oas.campaigns.ledger import Ledger
from oas.campaigns.plan import OtherSourceError, batches, plan
from oas.campaigns.runner import ATTEMPTS, NoWorkerError, Runner, StoppedError
from oas.core.errors import InputError
from tests.campaigns.runs import ONE_INSTANCE, OWN, campaign_of, driven, own_functions
from tests.solvers.conftest import marked_processes, wait_until

MISCHIEF = """
import ctypes, os, signal, subprocess, sys, tempfile, time
from pathlib import Path
from heuristics.coallocation.list_engine import list_schedule

HERE = Path(__file__).parent

def good(instance, *, seed=0):
    return list_schedule(instance, range(len(instance.jobs)), overtaking=True)

def counted(name):
    with (HERE / name).open("a") as file:
        file.write("x")

def sleeps(instance, *, seed=0):
    counted("sleeps")
    time.sleep(3600)

def spins(instance, *, seed=0):
    while True:
        pass

def holds_the_interpreter(instance, *, seed=0):
    ctypes.PyDLL(None).sleep(3600)

def eats(instance, *, seed=0):
    counted("eats")
    held = []
    while True:
        held.append(bytearray(os.urandom(1 << 20)) * 10)
        time.sleep(0.005)

def feeds(instance, *, seed=0):
    child = [sys.executable, "-c", "import os, time; held = bytearray(os.urandom(1 << 20)) * 700; time.sleep(3600)"]
    subprocess.run(child)

def faults(instance, *, seed=0):
    counted("faults")
    os.kill(os.getpid(), signal.SIGSEGV)

def leaves(instance, *, seed=0):
    counted("leaves")
    os._exit(0)

def exits(instance, *, seed=0):
    sys.exit("enough")

def signals_itself(instance, *, seed=0):
    os.kill(os.getpid(), signal.SIGINT)
    return good(instance)

def interrupts(instance, *, seed=0):
    raise KeyboardInterrupt

def raises(instance, *, seed=0):
    raise ValueError("no idea")

def talks(instance, *, seed=0):
    print("chatter" * 100_000)
    os.write(1, b"more" * 100_000)
    sys.stdout.flush()
    return good(instance)

def reads(instance, *, seed=0):
    assert sys.stdin.read() == ""
    return good(instance)

def forks(instance, *, seed=0):
    if os.fork() == 0:
        time.sleep(3600)
    return good(instance)

def forks_and_hangs(instance, *, seed=0):
    os.fork()
    time.sleep(3600)

def stubborn(instance, *, seed=0):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(3600)

def litters(instance, *, seed=0):
    tempfile.mkdtemp()
    Path(tempfile.gettempdir(), "litter").write_text("x")
    os.kill(os.getpid(), signal.SIGKILL)

def recovers(instance, *, seed=0):
    counted("recovers")
    if len((HERE / "recovers").read_text()) < 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return good(instance)

def dies_once(instance, *, seed=0):
    counted("dies_once")
    mark = HERE / f"died_{seed}"
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return good(instance)

def lies(instance, *, seed=0):
    return 42
"""


@pytest.fixture
def here(tmp_path, monkeypatch, mark):
    """A user's folder with a module of heuristics of that folder's own."""
    module = f"mischief_{tmp_path.name}"
    (tmp_path / f"{module}.py").write_text(MISCHIEF)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path, module


@dataclass(frozen=True)
class Ending:
    """The record that a misbehaving heuristic leaves: how it ended, part of the message, and how often it was tried."""

    termination: str
    cause: str = ""
    attempts: int = 0  # 0: not counted
    status: str = "no_solution"


QUICK = {
    "faults": Ending("crashed", "died of SIGSEGV", ATTEMPTS),
    "raises": Ending("error", "no idea"),
    "exits": Ending("error", "enough"),
    "lies": Ending("error"),
    "talks": Ending("finished", status="feasible"),
    "spins": Ending("time_limit"),
    "signals_itself": Ending("finished", status="feasible"),
}
MEMORY = {"eats": Ending("memory_limit", attempts=1), "feeds": Ending("memory_limit")}
SLOW = {
    "sleeps": Ending("time_limit", attempts=1),
    "holds_the_interpreter": Ending("time_limit"),
    "forks_and_hangs": Ending("time_limit"),
    "stubborn": Ending("time_limit"),
    "leaves": Ending("crashed", "ended with exit code 0", ATTEMPTS),
    "litters": Ending("killed", "died of SIGKILL"),
    "interrupts": Ending("killed", "interrupted itself"),
    "recovers": Ending("finished", attempts=3, status="feasible"),
    "reads": Ending("finished", status="feasible"),
    "forks": Ending("finished", status="feasible"),
}


@pytest.mark.parametrize(
    ("endings", "limits"),
    [
        pytest.param(QUICK, "time = 3", id="quick"),
        pytest.param(MEMORY, 'time = 60\nmemory = "600 MiB"', id="memory", marks=pytest.mark.slow),
        pytest.param(SLOW, "time = 3", id="slow", marks=pytest.mark.slow),
    ],
)
def test_each_misbehaviour_has_its_ending_and_good_ones_come_through(here, mark, endings, limits):
    """All in one batch, one after the other and before a good one; limits are kept from outside."""
    folder, module = here
    campaign = own_functions(folder, *(f"{module}:{name}" for name in (*endings, "good")), limits=limits)
    records = {one.method.partition(":")[2]: one for one in driven(campaign, folder / "l", pool_engine(1))}
    assert set(records) == {*endings, "good"}
    assert (records["good"].termination, records["good"].status) == ("finished", "feasible")
    for name, ending in endings.items():
        record = records[name]
        assert (record.termination, record.status) == (ending.termination, ending.status), (name, record.message)
        assert ending.cause in record.message
        assert ending.status == "feasible" or record.objective is None
        assert ending.termination != "time_limit" or record.seconds >= 3
        assert ending.termination != "memory_limit" or record.peak_memory > 600 << 20
        assert not ending.attempts or times(here, name) == ending.attempts
    assert wait_until(lambda: not marked_processes(mark), 60)


def times(here, name):
    return len((here[0] / name).read_text())


def only_batch(folder, campaign):
    with Ledger(folder / "l", write=True) as ledger:
        (batch,) = batches(plan(campaign, ledger), ledger)
    return batch


def test_stopping_ends_it_soon(here, mark):
    folder, module = here
    batch = only_batch(folder, own_functions(folder, f"{module}:sleeps"))
    with closing(Runner((folder / "sleeps").exists)) as runner:
        with pytest.raises(StoppedError):
            runner.run(batch)
        assert wait_until(lambda: not marked_processes(mark), 60)


@pytest.mark.slow
def test_deaths_are_counted_run_by_run(here):
    """More than `ATTEMPTS` deaths in one batch, each under another run, fail none."""
    folder, module = here
    text = ONE_INSTANCE.format(limits="time = 60") + OWN.format(function=f"{module}:dies_once") + 'seeds = "0-4"'
    records = driven(campaign_of(folder, text), folder / "l", pool_engine(1))
    assert [one.termination for one in records] == ["finished"] * 5
    assert times(here, "dies_once") == 10 and ATTEMPTS < 5


def test_source_that_changed_since_the_plan_is_refused(here):
    folder, module = here
    campaign = own_functions(folder, f"{module}:good")
    with Ledger(folder / "l", write=True) as ledger, pool_engine(1) as engine:
        orders = plan(campaign, ledger)
        (folder / f"{module}.py").write_text(MISCHIEF + "\n# edited\n")
        (batch,) = batches(orders, ledger)
        with pytest.raises(OtherSourceError, match="its source has changed"):
            engine.submit(batch).result(60)


def test_a_worker_that_cannot_load_the_package_is_no_failed_run(here):
    folder, module = here
    batch = only_batch(folder, own_functions(folder, f"{module}:good"))
    (folder / "msgspec.py").write_text("raise ImportError('a broken installation')\n")
    with closing(Runner()) as runner, pytest.raises(InputError, match="a broken installation"):
        runner.run(batch)


def test_a_worker_that_dies_before_each_run_is_no_failed_run(here):
    folder, module = here
    batch = only_batch(folder, own_functions(folder, f"{module}:good"))
    (folder / "msgspec.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n")
    with closing(Runner()) as runner, pytest.raises(NoWorkerError, match="died of SIGSEGV"):
        runner.run(batch)


@pytest.mark.slow
def test_exact_runs_whose_solver_is_killed_are_made_again(here, mark):
    folder, _ = here
    campaign = campaign_of(
        folder,
        """
        name = "exact"
        [[instances]]
        generator = "tiny"
        seeds = "0-1"
        [[methods]]
        exact = "cbc"
        check = ["highs"]
        """,
    )
    killed = []

    def solvers():
        """The workers of the runner's worker."""
        found = [one for one in marked_processes(mark) if "oas.solvers.isolation.worker" in cmdline(one)]
        return [one for one in found if one.ppid() in {other.pid for other in found}]

    def kill_twice():
        if len(killed) < 2 and (found := solvers()) and found[0].pid not in killed:
            found[0].kill()
            killed.append(found[0].pid)
        return False

    with Ledger(folder / "l", write=True) as ledger, closing(Runner(kill_twice)) as runner:
        records = [record for batch in batches(plan(campaign, ledger), ledger) for record in runner.run(batch)]
    assert len(killed) == 2
    assert {(one.status, one.termination) for one in records} == {("optimal", "finished")}
    undisturbed = driven(campaign, folder / "other", pool_engine(1))
    by_key = {record.key: record for record in records}
    for record in undisturbed:
        assert (record.objective, record.message) == (by_key[record.key].objective, by_key[record.key].message)


def cmdline(process):
    try:
        return process.cmdline()
    except psutil.Error:
        return []
