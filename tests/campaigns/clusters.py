"""Dask clusters of separate processes on this machine, on the loopback interface only."""

import gc
import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path

import dask
import psutil

from oas.campaigns import engines
from oas.campaigns.engines import job_engine
from oas.solvers.isolation import launch
from tests.solvers.conftest import wait_until

# Launcher of processes that end with the given parent, so that killed tests leave no cluster behind.
MORTAL = [sys.executable, "-I", "-S", launch.__file__]
LOCAL = ["--host", "127.0.0.1", "--no-dashboard", "--dashboard-address", "127.0.0.1:0"]


class Cluster:
    """A scheduler and workers, each a process that can be killed."""

    def __init__(self, folder, allowed_failures=3):
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.file = folder / "scheduler.json"
        self.log = (folder / "log").open("ab")
        self.failures = str(allowed_failures)
        self.workers = []
        self.scheduler = self._start("scheduler", "--port", "0", *LOCAL, "--scheduler-file", str(self.file))
        if not wait_until(self._is_up, 30):
            self.close()
            raise AssertionError((folder / "log").read_text())
        self.address = json.loads(self.file.read_text())["address"]

    def _is_up(self):
        return self.file.exists() and self.file.read_text().endswith("}")

    def _start(self, role, *options):
        root = Path(__file__).parents[2]
        environment = {
            **os.environ,
            "PYTHONPATH": str(root),
            "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": self.failures,
            "DASK_TEMPORARY_DIRECTORY": str(self.folder),
            "PYTHONWARNINGS": "ignore",
        }
        command = [*MORTAL, str(os.getpid()), sys.executable, "-m", f"distributed.cli.dask_{role}", *options]
        return subprocess.Popen(
            command, env=environment, cwd=self.folder, stdout=self.log, stderr=self.log, start_new_session=True
        )

    def add_worker(self, threads=1, nanny=False):
        """Start a worker; with a nanny, one that comes again when it dies."""
        options = ["--nthreads", str(threads), "--nanny" if nanny else "--no-nanny", "--local-directory"]
        self.workers.append(
            self._start("worker", *LOCAL, "--scheduler-file", str(self.file), *options, str(self.folder))
        )
        return self.workers[-1]

    def close(self):
        """End every process."""
        for process in [*self.workers, self.scheduler]:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.log.close()


@contextmanager
def dask_cluster(folder, workers=2, threads=1, nanny=False, allowed_failures=3):
    """A cluster with this number of workers."""
    cluster = Cluster(folder, allowed_failures)
    try:
        for _ in range(workers):
            cluster.add_worker(threads, nanny)
        yield cluster
    finally:
        cluster.close()


@contextmanager
def job_queue(folder, jobs=2):
    """The engine of a job queue, whose jobs are processes here; all else is as on a cluster."""
    local_cluster = engines._import("dask_jobqueue.local").LocalCluster
    folder.mkdir(exist_ok=True)
    given = {"PYTHONPATH": str(Path(__file__).parents[2]), "DASK_TEMPORARY_DIRECTORY": str(folder)}
    os.environ.update(given)
    try:
        with dask.config.set({"distributed.deploy.lost-worker-timeout": "1s", "temporary-directory": str(folder)}):
            cluster = local_cluster(
                cores=1,
                processes=1,
                memory="2GB",
                python=" ".join([*MORTAL, str(os.getpid()), sys.executable]),
                scheduler_options={"host": "127.0.0.1", "dashboard": False, "dashboard_address": "127.0.0.1:0"},
                worker_extra_args=[*LOCAL, "--local-directory", str(folder)],
                log_directory=None,
            )
            with job_engine(cluster, jobs, f"{jobs} jobs here") as engine:
                yield engine
    finally:
        for name in given:
            del os.environ[name]
        gc.collect()  # dask-jobqueue leaves the pipes of its local jobs to the collector


def children(mark_processes):
    """Those of the processes in which runs are made."""
    found = []
    for process in mark_processes:
        with suppress(psutil.Error):
            if "oas.solvers.isolation.worker" in process.cmdline():
                found.append(process)
    return found
