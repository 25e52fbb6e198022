"""One campaign on every engine, with workers, schedulers and drivers that go away in it; what is handed to SLURM."""

import asyncio
import logging
import os
import re
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import dask
import psutil
import pytest

from oas.campaigns import engines
from oas.campaigns.driver import drive
from oas.campaigns.engines import (
    EngineLostError,
    EngineMissingError,
    dask_engine,
    pool_engine,
    slurm_cluster,
    slurm_engine,
)
from oas.campaigns.ledger import Ledger
from oas.campaigns.plan import batches, plan
from oas.core.errors import InputError
from tests.campaigns.clusters import children, dask_cluster, job_queue
from tests.campaigns.runs import ONE_INSTANCE, SMALL, campaign_of, driven, facts
from tests.slow import mostly_slow
from tests.solvers.conftest import alive, marked_processes, wait_until

SLOW = """
import os, signal, time
from heuristics.coallocation.list_engine import list_schedule

def good(instance, *, seed=0):
    return list_schedule(instance, range(len(instance.jobs)), overtaking=True)

def slow(instance, *, seed=0):
    time.sleep(0.5)
    return good(instance)

def endless(instance, *, seed=0):
    time.sleep(3600)

def kills_its_watcher(instance, *, seed=0):
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(60)
"""
TINY = """
name = "own"
[limits]
time = 3000
[[instances]]
generator = "tiny"
seeds = "0-{last}"
"""
OWN = """
[[methods]]
function = "{module}:{name}"
"""
LEFT_TO_THE_COLLECTOR = r"ignore:Exception ignored in. <(function Popen.__del__|_io.FileIO)"
pytestmark = [
    pytest.mark.usefixtures("mark"),
    pytest.mark.filterwarnings(LEFT_TO_THE_COLLECTOR + ":pytest.PytestUnraisableExceptionWarning"),  # dask-jobqueue
]


@pytest.fixture
def heard():
    """Messages that Dask's client logs."""
    messages = []
    handler = logging.Handler()
    handler.emit = lambda record: messages.append(record.getMessage())
    logger = logging.getLogger("distributed.client")
    logger.addHandler(handler)
    yield messages
    logger.removeHandler(handler)


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A campaign of functions in a module that only this folder knows: (names, instances) -> campaign."""
    module = f"slow_{tmp_path.name}"
    (tmp_path / f"{module}.py").write_text(SLOW)
    monkeypatch.syspath_prepend(str(tmp_path))

    def make(*names, instances=8):
        text = TINY.format(last=instances - 1) + "".join(OWN.format(module=module, name=name) for name in names)
        return campaign_of(tmp_path, text)

    return make


@contextmanager
def on_dask(folder, **options):
    with dask_cluster(folder, **options) as cluster, dask_engine(cluster.address) as engine:
        yield engine


@pytest.mark.slow
def test_the_same_ledger_on_every_engine(tmp_path):
    campaign = campaign_of(tmp_path, SMALL)
    on_pool = driven(campaign, tmp_path / "pool", pool_engine(2))
    assert {record.termination for record in on_pool} == {"finished"}
    assert {record.status for record in on_pool if record.kind == "exact"} == {"optimal"}
    assert len(on_pool) > 25
    assert facts(driven(campaign, tmp_path / "dask", on_dask(tmp_path / "d"))) == facts(on_pool)
    assert facts(driven(campaign, tmp_path / "jobs", job_queue(tmp_path / "j"))) == facts(on_pool)


@pytest.mark.slow
def test_a_worker_killed_in_mid_run(tmp_path, own, mark):
    with dask_cluster(tmp_path / "d") as cluster:
        killed = []

        def kill_one(progress):
            if progress.done >= 2 and not killed:
                cluster.workers[0].kill()
                killed.append(cluster.workers[0].wait())

        records = driven(own("slow", instances=10), tmp_path / "l", dask_engine(cluster.address), kill_one)
        assert killed == [-signal.SIGKILL]
        assert wait_until(lambda: not children(marked_processes(mark)), 60)  # the workers live on and keep nothing
        assert cluster.workers[1].poll() is None
    assert [record.termination for record in records] == ["finished"] * 10


@pytest.mark.slow
def test_a_run_that_kills_its_workers_is_told_and_the_others_come_through(tmp_path, own):
    with dask_cluster(tmp_path / "d", nanny=True, allowed_failures=1) as cluster:
        campaign = own("good", "kills_its_watcher", instances=1)
        good, killer = sorted(
            driven(campaign, tmp_path / "l", dask_engine(cluster.address)), key=lambda record: record.method
        )
    assert (good.termination, killer.termination, killer.status) == ("finished", "killed", "no_solution")
    assert "its workers died" in killer.message and "2" in killer.message


@pytest.mark.slow
def test_a_scheduler_that_goes_away(tmp_path, own, mark, heard):
    """The error says so; no traceback of Dask's client comes before it."""
    campaign = own("slow", instances=12)
    with dask_cluster(tmp_path / "d") as cluster:
        killed = []

        def kill_it(progress):
            if progress.done >= 2 and not killed:
                killed.append(progress.done)
                cluster.scheduler.kill()

        with pytest.raises(EngineLostError, match=r"Dask at tcp://127.0.0.1.*lost.*run it again"):
            driven(campaign, tmp_path / "l", dask_engine(cluster.address), kill_it)
        assert wait_until(lambda: not children(marked_processes(mark)), 60)
    assert heard == []
    with Ledger(tmp_path / "l") as ledger:
        assert len(ledger.keys()) >= killed[0] >= 2
    assert len(driven(campaign, tmp_path / "l", pool_engine(2))) == 12


@pytest.mark.parametrize("kind", mostly_slow(["pool", "dask", "jobs"], quick=["pool"]))
def test_ctrl_c_keeps_what_is_recorded_and_leaves_nothing_behind(tmp_path, own, mark, kind):
    engine = {"pool": lambda: pool_engine(2), "dask": lambda: on_dask(tmp_path / "d")}.get(
        kind, lambda: job_queue(tmp_path / "j")
    )
    campaign = own("slow", "endless", instances=2)
    with Ledger(tmp_path / "l", write=True) as ledger:
        orders = plan(campaign, ledger)
        slow = [order for order in orders if "slow" in order.method.label]
        endless = [order for order in orders if "endless" in order.method.label]
        with engine() as ready:
            drive(slow[:1], ledger, ready)
            with pytest.raises(KeyboardInterrupt):
                drive([*slow, *endless], ledger, _with_sigint(ready, mark))
            wanted = ledger.keys()
        assert wait_until(lambda: not marked_processes(mark), 60), marked_processes(mark)
        assert ledger.keys() == wanted >= {slow[0].key}


def _with_sigint(engine, mark):
    """The engine; once its processes work, Ctrl-C is pressed."""

    def press():
        wait_until(lambda: len(children(marked_processes(mark))) >= 2, 30)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()
    return engine


@pytest.mark.slow
def test_each_thread_of_a_worker_has_a_child_and_they_end_with_it(tmp_path, own, mark):
    with dask_cluster(tmp_path / "d", workers=1, threads=3) as cluster, dask_engine(cluster.address) as engine:
        assert wait_until(lambda: engine.slots == 3)
        with Ledger(tmp_path / "l", write=True) as ledger:
            futures = [engine.submit(batch) for batch in batches(plan(own("endless", instances=3), ledger), ledger)]
        assert wait_until(lambda: len(children(marked_processes(mark))) == 3, 120)
        mine = children(marked_processes(mark))
        assert {one.ppid() for one in mine} == {cluster.workers[0].pid}
        cluster.workers[0].kill()
        assert wait_until(lambda: not any(alive(one.pid) for one in mine), 60)
        assert not any(future.done() for future in futures)


@pytest.mark.slow
def test_a_driver_that_is_killed_stops_its_runs_on_the_cluster(tmp_path, own, mark):
    own("endless", instances=2)
    with dask_cluster(tmp_path / "d") as cluster:
        command = ["-m", "oas", "bench", "run", "campaign.toml", "--dask", cluster.address]
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
        driver = subprocess.Popen([sys.executable, *command], cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL)
        assert wait_until(lambda: len(children(marked_processes(mark))) == 2, 120)
        driver.kill()
        driver.wait()
        assert wait_until(lambda: not children(marked_processes(mark)), 60)
        assert [one.poll() for one in cluster.workers] == [None, None]


def test_slots_follow_the_number_of_workers(tmp_path):
    with dask_cluster(tmp_path / "d", workers=0) as cluster, dask_engine(cluster.address) as engine:
        assert engine.slots == 1  # one is always in hand for who may come
        cluster.add_worker(threads=2)
        assert wait_until(lambda: engine.slots == 2, 20)
        cluster.add_worker(threads=3).poll()
        assert wait_until(lambda: engine.slots == 5, 20)
        cluster.workers[0].kill()
        assert wait_until(lambda: engine.slots == 3, 120)


@pytest.mark.slow
def test_a_job_that_ends_is_replaced(tmp_path, own, mark, monkeypatch):
    monkeypatch.setattr(engines, "_RENEW", 0.5)
    killed = []

    def kill_all(progress):
        if progress.done >= 2 and not killed:
            for process in marked_processes(mark):
                with_parent(process, killed)

    def with_parent(process, into):
        try:
            if "distributed.cli.dask_worker" in process.cmdline():
                process.kill()
                into.append(process.pid)
        except psutil.Error:
            pass

    records = driven(own("slow", instances=6), tmp_path / "l", job_queue(tmp_path / "j", jobs=1), kill_all)
    assert killed
    assert [record.termination for record in records] == ["finished"] * 6


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense", "foo://127.0.0.1:9", "tcp://127.0.0.1:x"])
def test_nobody_at_the_address(address, monkeypatch):
    monkeypatch.setattr(engines, "_CONNECT", "1s")
    with pytest.raises(EngineMissingError, match=f"no Dask scheduler answers at {address}"), dask_engine(address):
        pass


def test_a_notebook_has_an_event_loop_of_its_own():
    async def cell():
        with pytest.raises(EngineMissingError, match="no Dask scheduler answers at nonsense"), dask_engine("nonsense"):
            pass

    asyncio.run(cell())


GOLDEN = Path(__file__).parent / "golden" / "slurm_job.sh"
LOOPBACK = {"scheduler_options": {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}}
OPTIONS = {
    "queue": "compute",
    "account": "grids",
    "cores": 4,
    "memory": "16GB",
    "walltime": "12:00:00",
    "job_extra_directives": ["--exclusive"],
    "job_script_prologue": ["module load python"],
}


@pytest.fixture(autouse=True)
def dask_folder(tmp_path):
    """Where Dask keeps its own files."""
    with dask.config.set({"temporary-directory": str(tmp_path)}):
        yield


def scripted(options):
    """The job script, without what this machine puts into it."""
    with slurm_cluster({**LOOPBACK, **options}) as cluster:
        script = cluster.job_script()
    script = script.replace(sys.executable, "PYTHON")
    return re.sub(r"tcp://[\d.]+:\d+", "SCHEDULER", script)


def test_the_job_script():
    assert scripted(OPTIONS) == GOLDEN.read_text()
    assert subprocess.run(["bash", "-n", GOLDEN], check=False).returncode == 0
    by_default = scripted({})  # one worker of one thread
    assert all(option in by_default for option in ("--cpus-per-task=1", "--nthreads 1 ", "--mem=4G"))


def test_an_unknown_option():
    with pytest.raises(InputError, match=r"slurm.wall_time: unknown; did you mean walltime.* known: "):
        slurm_cluster({**LOOPBACK, "wall_time": "1:00"})


def test_no_slurm_here(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineMissingError, match="no sbatch here"), slurm_engine({}, 1):
        pass


def test_a_queue_that_refuses(tmp_path):
    sbatch = tmp_path / "sbatch"
    sbatch.write_text("#!/bin/sh\necho 'Invalid account' >&2\nexit 1\n")
    sbatch.chmod(0o755)
    options = '[slurm.scheduler_options]\nhost = "127.0.0.1"\ndashboard_address = "127.0.0.1:0"\n'
    campaign_of(tmp_path, ONE_INSTANCE.format(limits="time = 60") + '[[methods]]\nheuristics = "FCFS"\n' + options)
    environment = {
        **os.environ,
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "DASK_TEMPORARY_DIRECTORY": str(tmp_path),
    }
    command = [sys.executable, "-m", "oas", "bench", "run", "campaign.toml", "--slurm", "1"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode not in (0, 1), done.stderr
    assert re.search(r"(?s)1 SLURM jobs: they could not be started: .*Invalid account", done.stderr)


def test_a_library_that_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask_jobqueue", None)
    with pytest.raises(EngineMissingError, match=r"pip install 'oas-scheduling\[cluster\]'"):
        slurm_cluster({})


def test_importing_the_library_does_not_take_ctrl_c_away():
    body = "import signal; from oas.campaigns import engines; engines._import('dask_jobqueue')\n"
    body += "assert signal.getsignal(signal.SIGINT) is signal.default_int_handler"
    root = str(Path(__file__).parents[2])
    subprocess.run([sys.executable, "-W", "ignore", "-c", body], cwd=root, check=True)
    assert engines._import("dask_jobqueue")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
