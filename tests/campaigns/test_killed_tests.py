"""Tests, and campaigns on clusters of their own, that are killed: nothing of Dask outlives them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.campaigns.clusters import children
from tests.solvers.conftest import marked_processes, wait_until

ROOT = Path(__file__).parents[2]
# With a nanny, without, and jobs of a queue.
STARTS_CLUSTERS = """
import time
from pathlib import Path
from tests.campaigns.clusters import dask_cluster, job_queue

def test_that_takes_long(tmp_path):
    with dask_cluster(tmp_path / "d", workers=1) as cluster, job_queue(tmp_path / "j", jobs=1):
        cluster.add_worker(nanny=True)
        Path({ready!r}).touch()
        time.sleep(600)
"""
RUNS_A_CAMPAIGN = """
import dask
from distributed import LocalCluster
from oas.campaigns.declaration import load_campaign
from oas.campaigns.driver import drive
from oas.campaigns.engines import dask_engine
from oas.campaigns.ledger import Ledger
from oas.campaigns.plan import plan

def endless(instance, *, seed=0):
    import time
    time.sleep(600)

if __name__ == "__main__":
    with dask.config.set({"temporary-directory": "."}):
        with LocalCluster(2, host="127.0.0.1", threads_per_worker=1, dashboard_address=None) as cluster:
            with Ledger("own.ledger", write=True) as ledger, dask_engine(cluster.scheduler_address) as engine:
                drive(plan(load_campaign("own.toml"), ledger), ledger, engine)
"""
ENDLESS = """
name = "own"
[[instances]]
generator = "tiny"
seeds = "0-1"
[[methods]]
function = "script:endless"
"""


def processes_with(mark, part):
    """Those of this test's processes whose command line holds this."""
    found = []
    for process in marked_processes(mark):
        try:
            if part in " ".join(process.cmdline()):
                found.append(process)
        except psutil.Error:
            continue
    return found


def started(command, folder):
    """A process of this test, with its output in a file."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}  # not of this session
    environment = {**own, "PYTHONPATH": os.pathsep.join([str(ROOT), str(folder)]), "PYTHONWARNINGS": "ignore"}
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is told of its parent's death")
@pytest.mark.parametrize("victim", ["controller", "worker"])
def test_killed_tests_leave_no_cluster_behind(tmp_path, mark, victim):
    ready = tmp_path / "ready"
    (tmp_path / "test_long.py").write_text(STARTS_CLUSTERS.format(ready=str(ready)))
    options = ["-q", "-n1", "--max-worker-restart=0", "-p", "tests.conftest", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *options, f"--basetemp={tmp_path / 'base'}", "test_long.py"]
    controller = started(command, tmp_path)
    try:
        assert wait_until(ready.exists, 90), (tmp_path / "log").read_text()
        dask = processes_with(mark, "distributed.cli.dask")
        assert len(dask) == 4  # a scheduler, two workers, a job
        (worker,) = psutil.Process(controller.pid).children()
        (controller if victim == "controller" else worker).kill()
        assert wait_until(lambda: not any(one.is_running() for one in dask), 60), dask
        assert wait_until(lambda: not processes_with(mark, "distributed"), 60)
    finally:
        controller.kill()
        controller.wait()


@pytest.mark.slow
def test_a_killed_campaign_on_a_local_cluster_of_its_own_leaves_nothing(tmp_path, mark):
    (tmp_path / "script.py").write_text(RUNS_A_CAMPAIGN)
    (tmp_path / "own.toml").write_text(ENDLESS)
    driver = started([sys.executable, "script.py"], tmp_path)
    try:
        assert wait_until(lambda: len(children(marked_processes(mark))) == 2, 90), (tmp_path / "log").read_text()
        assert len(marked_processes(mark)) > 4
        driver.kill()
        driver.wait()
        assert wait_until(lambda: not marked_processes(mark), 60), marked_processes(mark)
    finally:
        driver.kill()
        driver.wait()
