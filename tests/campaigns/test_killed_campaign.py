"""A killed campaign on a cluster of its own: nothing of Dask outlives it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.campaigns.clusters import children
from tests.solvers.conftest import marked_processes, wait_until

ROOT = Path(__file__).parents[2]
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


def started(command, folder):
    """A process of this test, with its output in a file."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}  # not of this session
    environment = {**own, "PYTHONPATH": os.pathsep.join([str(ROOT), str(folder)]), "PYTHONWARNINGS": "ignore"}
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=log, start_new_session=True)


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
