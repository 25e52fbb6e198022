"""Runs of a campaign in a worker process, which `oas.campaigns.runner` starts and supervises.

The input of a run is a `Batch` with a single order, the output is a record.
"""

from __future__ import annotations

import json
import platform
import signal
import time
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from oas._version import __version__
from oas.campaigns.methods import commit, solve_options
from oas.campaigns.record import Record, columns_of, pack, text_of
from oas.core.errors import OasError
from oas.core.processors import processors
from oas.core.registry import problem_named
from oas.core.result import Result, Status, Termination
from oas.io.files import clean
from oas.io.reading import loads
from oas.solvers.discovery import versions
from oas.solvers.isolation.protocol import use_path
from oas.solving.comparison import heuristic_row
from oas.solving.method import NotApplicableError, NotPlacedError
from oas.solving.methods import find_method, toolkit_methods
from oas.solving.options import LEAST_MEMORY
from oas.solving.pipeline import solve
from oas.solving.warm_up import warm_up
from oas.testing.parts import kit_parts

if TYPE_CHECKING:
    from oas.campaigns.plan import Batch, Order
    from oas.campaigns.record import Step
    from oas.core.instances import Instance
    from oas.solvers.isolation.protocol import Session
    from oas.solving.progress import SolveProgress


# Bytes of the memory limit that are reserved for the run's process; the solver may use the rest.
OWN_MEMORY = 256 << 20


def prepare(batch: Batch, _session: Session) -> str:
    """Load the code of a run, which does not count as its time; return the hash of its source in this process."""
    (order,) = batch.orders
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the driver handles Ctrl-C
    use_path(batch.path)
    _load_code(order.problem, order.method.kind)
    return order.method.source


def make(batch: Batch, session: Session) -> Record:
    """Make a run in this process and return its record."""
    (order,) = batch.orders
    prepare(batch, session)  # a new process may have replaced the one that was prepared
    # The values that an instance caches must not shorten the times of exact runs.
    return execute(order, (loads if order.method.kind == "exact" else _shared_instance)(batch.document))


def execute(order: Order, instance: Instance) -> Record:
    """Make a run and return its record; a failure of the method is recorded too."""
    began = time.monotonic()
    steps: list[Step] = []
    result = _exact(order, instance, steps) if order.method.kind == "exact" else _heuristic(order, instance)
    record = replace(
        blank(order),
        **columns_of(result),
        seconds=time.monotonic() - began,
        stages=json.dumps({name: round(seconds, 6) for name, seconds in result.seconds.items()}),
        progress=json.dumps(steps),
        result=pack(result),
    )
    return replace(record, recorded=_now())


def blank(order: Order, termination: Termination = Termination.ERROR, message: str = "") -> Record:
    """Return the record of a run that left no result."""
    method = order.method
    return Record(
        key=order.key,
        digest=order.digest,
        instance=order.instance,
        method=method.label,
        kind=method.kind,
        parameters=json.dumps(method.parameters, sort_keys=True),
        limits=json.dumps(method.limits.to_dict()),
        seed=order.seed,
        repetition=order.repetition,
        source=order.source,
        package=__version__,
        status=Status.NO_SOLUTION.value,
        termination=termination.value,
        message=clean(message, "message"),
        keeps_locality=method.keeps_locality(order.problem),
        checkout=commit(),
        host=_host(),
        recorded=_now(),
    )


def _exact(order: Order, instance: Instance, steps: list[Step]) -> Result:
    """Solve the instance and append every improvement of bound or makespan to `steps`."""
    limits, seconds = order.method.limits, order.time_limit
    memory = None if limits.memory is None else max(limits.memory - OWN_MEMORY, limits.memory // 2, LEAST_MEMORY)

    def append_step(progress: SolveProgress) -> None:
        values = text_of(progress.lower_bound), text_of(progress.objective)
        if not steps or steps[-1][1:] != values:
            steps.append((round(progress.seconds, 3), *values))

    try:
        return solve(
            instance,
            on_interrupt="return",
            on_progress=append_step,
            time_limit=None if seconds is None else float(seconds),
            memory_limit=memory,
            seed=order.seed,
            **solve_options(order.method.parameters),
        )
    except OasError as error:
        return _result(order, instance, str(error))


def _heuristic(order: Order, instance: Instance) -> Result:
    try:
        method = find_method(order.method.parameters["name"], type(instance))
    except OasError as error:
        return _result(order, instance, str(error))
    row = heuristic_row(instance, method, order.seed)
    result = _result(order, instance, row.note)
    if row.schedule is None:
        return result if row.failed else replace(result, termination=Termination.FINISHED)
    return replace(
        result,
        status=Status.FEASIBLE,
        termination=Termination.FINISHED,
        schedule=row.schedule,
        seconds={} if row.seconds is None else {"total": row.seconds},
    )


def _result(order: Order, instance: Instance, message: str) -> Result:
    """Return the result of a run that failed."""
    return Result(
        status=Status.NO_SOLUTION,
        termination=Termination.ERROR,
        schedule=None,
        lower_bound=None,
        proof=None,
        instance_digest=instance.digest,
        versions=versions({}),
        seed=order.seed,
        message=message,
    )


@cache
def _host() -> str:
    import psutil

    facts = {
        "node": platform.node(),
        "system": platform.platform(),
        "machine": platform.machine(),
        "cores": processors(),
        "memory": psutil.virtual_memory().total,
    }
    return json.dumps(facts)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


_shared_instance = lru_cache(maxsize=1)(loads)


@cache
def _load_code(problem_name: str, kind: str) -> None:
    """Compile the problem's kernels and run each of its heuristics once, so that runs do not include loading code."""
    problem = problem_named(problem_name)
    warm_up([problem])
    if kind == "heuristic" and problem.has("testing"):
        instance = kit_parts(problem).tiny(0)
        for method in toolkit_methods(problem):
            with suppress(NotApplicableError, NotPlacedError):
                method(instance)
