"""Make one run in this process: an order and its instance in, a record out. The watching process enforces limits."""

from __future__ import annotations

import json
import os
import platform
import time
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

from heuristics.registry import find_method
from oas._version import __version__
from oas.campaigns.identity import commit
from oas.campaigns.methods import solve_options
from oas.campaigns.record import Record, pack, text_of
from oas.core.errors import OasError
from oas.core.result import Result, Status, Termination
from oas.exact.pipeline import solve
from oas.io.files import clean
from oas.solvers.discovery import versions
from oas.studies.comparison import heuristic_row

if TYPE_CHECKING:
    from oas.campaigns.plan import Order
    from oas.campaigns.record import Step
    from oas.core.instances import Instance
    from oas.exact.progress import SolveProgress

# Of the memory allowed, this much is the run's own process; the rest may be the solver's.
OWN_MEMORY = 256 << 20


def execute(order: Order, instance: Instance) -> Record:
    """Make a run. What goes wrong in it becomes a record too: a method may fail in any way."""
    began = time.monotonic()
    steps: list[Step] = []
    result = _exact(order, instance, steps) if order.method.kind == "exact" else _heuristic(order, instance)
    certified = None if result.proof is None or result.proof.bound is None else result.proof.bound.value
    record = replace(
        blank(order),
        status=result.status.value,
        termination=result.termination.value,
        objective=text_of(result.objective),
        lower_bound=text_of(result.lower_bound),
        certified_bound=text_of(certified),
        gap=None if result.gap is None else float(result.gap),
        proof="" if result.proof is None else result.proof.kind.value,
        message=clean(result.message, "message"),
        seconds=time.monotonic() - began,
        stages=json.dumps({name: round(seconds, 6) for name, seconds in result.seconds.items()}),
        progress=json.dumps(steps),
        solver=result.solver,
        formulation=result.formulation,
        versions=json.dumps(result.versions),
        threads=result.threads,
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
    """Solve the instance, and append every improvement of bound and makespan to `steps`."""
    limits, seconds = order.method.limits, order.time_limit
    memory = None if limits.memory is None else max(limits.memory - OWN_MEMORY, limits.memory // 2)

    def note(seen: SolveProgress) -> None:
        known = text_of(seen.lower_bound), text_of(seen.objective)
        if not steps or steps[-1][1:] != known:
            steps.append((round(seen.seconds, 3), *known))

    try:
        return solve(
            instance,
            on_interrupt="return",
            on_progress=note,
            time_limit=None if seconds is None else float(seconds),
            memory_limit=memory,
            seed=order.seed,
            **solve_options(order.method.parameters),
        )
    except OasError as error:
        return _failed(order, instance, str(error))


def _heuristic(order: Order, instance: Instance) -> Result:
    try:
        method = find_method(order.method.parameters["name"], type(instance))
    except OasError as error:
        return _failed(order, instance, str(error))
    row = heuristic_row(instance, method, order.seed)
    if row.schedule is None:
        ended = Termination.ERROR if row.failed else Termination.FINISHED
        return replace(_failed(order, instance, row.note), termination=ended)
    return Result(
        status=Status.FEASIBLE,
        termination=Termination.FINISHED,
        schedule=row.schedule,
        lower_bound=None,
        proof=None,
        instance_digest=instance.digest,
        seconds={} if row.seconds is None else {"total": row.seconds},
        versions=versions({}),
        seed=order.seed,
        message=row.note,
    )


def _failed(order: Order, instance: Instance, message: str) -> Result:
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
        "cores": os.cpu_count(),
        "memory": psutil.virtual_memory().total,
    }
    return json.dumps(facts)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
