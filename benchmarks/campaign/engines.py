"""Who makes the runs: threads here that each watch a process, or the workers of a Dask cluster.

Every engine is an executor as of `concurrent.futures`, and gets nothing but `run_batch` and batches.
"""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from benchmarks.campaign.watch import Watcher, run_batch
from oas.core.errors import InputError, OasError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from concurrent.futures import Executor, Future

    from benchmarks.campaign.order import Batch
    from benchmarks.campaign.record import Record


class EngineMissingError(OasError):
    """A library or a cluster that an engine needs is not there."""


class Engine:
    """Makes batches.

    Attributes
    ----------
    name
        For people.
    slots
        How many batches run at a time.
    """

    def __init__(self, name: str, slots: int, executor: Executor, work: Callable[[Batch], list[Record]]) -> None:
        self.name, self.slots = name, slots
        self._executor, self._work = executor, work

    def submit(self, batch: Batch) -> Future[list[Record]]:
        """Have `batch` made."""
        return self._executor.submit(self._work, batch)


@contextmanager
def pool_engine(workers: int | None = None) -> Iterator[Engine]:
    """So many processes on this machine, one for each core by default; leaving ends them, whatever they do."""
    count = workers or os.cpu_count() or 1
    ended = threading.Event()
    watchers: list[Watcher] = []
    own = threading.local()

    def begin() -> None:
        own.watcher = Watcher(ended.is_set)
        watchers.append(own.watcher)

    executor = ThreadPoolExecutor(count, "campaign", initializer=begin)
    try:
        yield Engine(f"{count} processes", count, executor, lambda batch: own.watcher.run(batch))
    finally:
        ended.set()
        executor.shutdown(cancel_futures=True)
        for watcher in watchers:
            watcher.close()


@contextmanager
def dask_engine(address: str) -> Iterator[Engine]:
    """Use the workers of a Dask cluster whose scheduler listens at `address`.

    Raises
    ------
    EngineMissingError
        If distributed is not installed, or nobody answers there.
    """
    distributed = _import("distributed")
    try:
        client = distributed.Client(address, timeout="15s", name="oas-campaign")
    except (OSError, ValueError, TimeoutError) as error:
        raise EngineMissingError(f"no Dask scheduler answers at {address}: {error}") from error
    with client:
        yield _on_client(client, f"Dask at {address}")


@contextmanager
def slurm_engine(options: Mapping[str, Any], jobs: int) -> Iterator[Engine]:
    """Start `jobs` SLURM jobs of Dask workers and use them; they end with the campaign.

    Parameters
    ----------
    options
        As dask-jobqueue's SLURMCluster takes them: queue, account, cores, memory, walltime, ….

    Raises
    ------
    EngineMissingError
        If dask-jobqueue is not installed.
    InputError
        For an option it does not know.
    """
    with slurm_cluster(options) as cluster, _import("distributed").Client(cluster) as client:
        cluster.scale(jobs=jobs)
        client.wait_for_workers(1)
        yield _on_client(client, f"{jobs} SLURM jobs")


def slurm_cluster(options: Mapping[str, Any]) -> Any:
    """Return the cluster of SLURM jobs that `options` describe, none of them started; its workers have one thread.

    Raises
    ------
    EngineMissingError, InputError
        As `slurm_engine`.
    """
    jobqueue = _import("dask_jobqueue")
    chosen = {"cores": 1, "processes": 1, "memory": "4GB", **options}
    try:
        return jobqueue.SLURMCluster(**chosen)
    except (TypeError, ValueError) as error:
        raise InputError(str(error), field="slurm") from error


def _on_client(client: Any, name: str) -> Engine:
    threads = sum(client.nthreads().values())
    return Engine(name, max(1, threads), client.get_executor(pure=False, retries=2), run_batch)


def _import(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        raise EngineMissingError(f"{name} is not installed: pip install 'oas-scheduling[cluster]' ({error})") from error
