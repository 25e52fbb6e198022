"""Engines that make runs: threads that each supervise a process on this machine, or the workers of a Dask cluster.

Every engine wraps an executor of `concurrent.futures`, to which only a function and batches are submitted.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import shutil
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from oas.campaigns.runner import Runner
from oas.core.errors import InputError, OasError, unknown_name
from oas.core.processors import processors
from oas.core.signals import ENDING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from concurrent.futures import Executor, Future

    from oas.campaigns.plan import Batch
    from oas.campaigns.record import Record

_CONNECT = "15s"
_RENEW = 10.0  # seconds between two requests to replace jobs that have ended


class EngineMissingError(OasError):
    """A library or a cluster that an engine needs is not available."""


class EngineLostError(OasError):
    """An engine stopped working during the campaign."""


@dataclass(frozen=True)
class Engine:
    """Runs batches: `work` runs one on an executor; `free` returns the number of batches that can start.

    `killers` are the exceptions of a future whose workers have died too often.
    """

    name: str
    free: Callable[[], int]
    executor: Executor
    work: Callable[[Batch], list[Record]]
    killers: tuple[type[Exception], ...] = ()

    @property
    def slots(self) -> int:
        """Number of batches that can run at the same time now."""
        with self._explained():
            return max(1, self.free())

    def submit(self, batch: Batch) -> Future[list[Record]]:
        """Submit `batch`; raises `EngineLostError` if the executor is closed."""
        with self._explained():
            return self.executor.submit(self.work, batch)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (OSError, RuntimeError) as error:
            reason = f"{self.name}: lost ({error}); what is recorded stays, run it again to go on"
            raise EngineLostError(reason) from error


@contextmanager
def pool_engine(workers: int | None = None) -> Iterator[Engine]:
    """Run batches in `workers` processes on this machine, by default `processors()`; they are ended on exit."""
    count = workers or processors()
    ended = threading.Event()
    runners: list[Runner] = []
    thread = threading.local()

    def begin() -> None:
        thread.runner = Runner(ended.is_set)
        runners.append(thread.runner)

    executor = ThreadPoolExecutor(count, "campaign", initializer=begin)
    try:
        yield Engine(f"{count} processes", lambda: count, executor, lambda batch: thread.runner.run(batch))
    finally:
        ended.set()
        executor.shutdown(cancel_futures=True)
        for runner in runners:
            runner.close()


@contextmanager
def dask_engine(address: str) -> Iterator[Engine]:
    """Use the workers of a Dask cluster whose scheduler listens at `address`.

    Raises `EngineMissingError` if distributed is not installed, or no scheduler answers there.
    """
    distributed = _import("distributed")
    try:
        # Without a scheduler, a client is left half constructed; collecting it while another one starts is a deadlock.
        with ThreadPoolExecutor(1) as thread:  # in a notebook, this thread has a running event loop
            thread.submit(asyncio.run, _check_scheduler(address)).result()
        client = distributed.Client(address, timeout=_CONNECT, name="oas-campaign", set_as_default=False)
    # AssertionError: its thread has not started after 10 s, as happens on a busy machine.
    except (OSError, ValueError, TimeoutError, AssertionError) as error:
        raise EngineMissingError(f"no Dask scheduler answers at {address}: {error}") from error
    with _client_engine(client, f"Dask at {address}") as engine:
        yield engine


async def _check_scheduler(address: str) -> None:
    """Connect to a scheduler once; raises the exception of `distributed.Client` if there is no answer."""
    from distributed import Security
    from distributed.comm import connect

    comm = await connect(address, timeout=_CONNECT, **Security().get_connection_args("client"))
    await comm.close()


@contextmanager
def slurm_engine(options: Mapping[str, Any], jobs: int) -> Iterator[Engine]:
    """Start `jobs` SLURM jobs of Dask workers and use them; they end with the context.

    The options are those of dask-jobqueue's SLURMCluster: queue, account, cores, memory, walltime, …. Raises
    `EngineMissingError` if dask-jobqueue or sbatch is missing; `InputError` for an unknown option.
    """
    if shutil.which("sbatch") is None:
        raise EngineMissingError("there is no sbatch here: start the campaign where SLURM takes jobs")
    with job_engine(slurm_cluster(options), jobs, f"{jobs} SLURM jobs") as engine:
        yield engine


def slurm_cluster(options: Mapping[str, Any]) -> Any:
    """Return a cluster of SLURM jobs without starting any; its workers have one thread. Errors as in `slurm_engine`."""
    jobqueue = _import("dask_jobqueue")
    _check_options(options, jobqueue.SLURMCluster)
    chosen = {"cores": 1, "processes": 1, "memory": "4GB", **options}
    # Any free port, because another scheduler may use the default port.
    chosen["scheduler_options"] = {"dashboard": False, "dashboard_address": ":0", **chosen.get("scheduler_options", {})}
    try:
        return jobqueue.SLURMCluster(**chosen)
    except (TypeError, ValueError) as error:
        raise InputError(str(error), field="slurm") from error


def _check_options(options: Mapping[str, Any], cluster: type) -> None:
    """Raise `InputError` for unknown options; a partly constructed cluster would log errors at its deletion."""
    types = [*cluster.__mro__[:-1], *cluster.job_cls.__mro__[:-1]]  # type: ignore[attr-defined]
    known = {name for base in types for name in inspect.signature(base).parameters} - {"self", "args", "kwargs"}
    for name in options:
        if name not in known:
            raise unknown_name(name, sorted(known), f"slurm.{name}")


@contextmanager
def job_engine(cluster: Any, jobs: int, name: str) -> Iterator[Engine]:
    """Start `jobs` jobs of a dask-jobqueue cluster and use them; ended jobs are replaced, all end with the context.

    Raises `EngineMissingError` if the queue refuses the jobs.
    """
    distributed = _import("distributed")
    renewed = time.monotonic()

    def renew() -> None:
        nonlocal renewed
        if time.monotonic() > renewed + _RENEW:  # the queue ends jobs at their walltime
            renewed = time.monotonic()
            cluster.scale(jobs=jobs)

    try:
        cluster.scale(jobs=jobs)
        try:
            cluster.sync(lambda: cluster)
            for job in list(cluster.workers.values()):
                if job.status.name == "created":  # refused, which is only logged; a second attempt raises the error
                    cluster.sync(lambda job=job: job)
        except (OSError, RuntimeError) as error:
            raise EngineMissingError(f"{name}: they could not be started: {error}") from error
        with _client_engine(distributed.Client(cluster, set_as_default=False), name, renew) as engine:
            yield engine
    finally:
        try:
            cluster.close()
        except (AssertionError, OSError, RuntimeError):
            # It fails for jobs that were refused or have ended, after it has ended the others. If it stayed half
            # closed, this process would wait for it at exit.
            cluster.status = distributed.Status.closed


@contextmanager
def _client_engine(client: Any, name: str, renew: Callable[[], None] = lambda: None) -> Iterator[Engine]:
    """Use the workers of a Dask client, which is closed at the end.

    Its log is switched off, because `EngineLostError` reports a lost scheduler.
    """
    from distributed import KilledWorker

    def slots() -> int:
        renew()
        return sum(client.nthreads().values())

    logger = logging.getLogger("distributed.client")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        with client:
            executor = client.get_executor(pure=False, retries=2)
            try:
                yield Engine(name, slots, executor, run_on_worker, (KilledWorker,))
            finally:
                executor.shutdown(wait=False)
    finally:
        logger.setLevel(level)


def run_on_worker(batch: Batch) -> list[Record]:
    """Make the runs of `batch` in a thread of a Dask worker, in another process, as long as the driver needs them.

    The process ends with the batch, because Dask's workers outlive drivers, and its resources must not.
    """
    from distributed import get_worker
    from distributed.core import Status

    worker = get_worker()

    def unwanted() -> bool:
        task = worker.state.tasks.get(worker.get_current_task())
        return task is None or task.state == "cancelled" or worker.status not in (Status.running, Status.paused)

    runner = Runner(unwanted)
    try:
        return runner.run(batch)
    finally:
        runner.close()


def _import(name: str) -> Any:
    """Import a library without its signal handlers: dask_jobqueue would make Ctrl-C a silent exit."""
    handlers = {number: signal.getsignal(number) for number in ENDING}
    try:
        return import_module(name)
    except ImportError as error:
        raise EngineMissingError(f"{name} is not installed: pip install 'oas-scheduling[cluster]' ({error})") from error
    finally:
        for number, handler in handlers.items():
            if signal.getsignal(number) is not handler:
                signal.signal(number, handler)
