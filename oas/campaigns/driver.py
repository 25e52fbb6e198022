"""Driver of a campaign: it makes the missing runs and records them in the ledger."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from concurrent.futures import FIRST_COMPLETED, CancelledError, wait
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import fmean
from typing import TYPE_CHECKING

from oas.campaigns.engines import EngineLostError
from oas.campaigns.plan import batches
from oas.campaigns.runner import ATTEMPTS, StoppedError
from oas.campaigns.runs import blank
from oas.core.errors import OasError
from oas.core.result import Termination

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future

    from oas.campaigns.engines import Engine
    from oas.campaigns.ledger import Ledger
    from oas.campaigns.plan import Batch, Order
    from oas.campaigns.record import Record

AHEAD = 4
"""Batches submitted to the engine for each slot."""
LEAST_SECONDS = Fraction(1)
"""Minimum of a time limit that is another run's time: a solver must be able to build its model."""
_POLL = 1.0  # seconds after which the number of slots is read again


@dataclass(frozen=True)
class Progress:
    """Progress of a campaign."""

    done: int  # planned runs in the ledger
    total: int  # planned runs
    seconds: float  # since the start of the driver
    left: float | None = None  # estimated seconds until the end; None until every remaining method has a finished run
    last: Record | None = None  # the latest run
    stage: str = "runs"  # constant; displays of progress need it


def drive(
    orders: Sequence[Order], ledger: Ledger, engine: Engine, on_progress: Callable[[Progress], None] | None = None
) -> int:
    """Make every run of `orders` that `ledger` lacks; return their number.

    Records are committed before they are reported.

    Raises `InputError` if the ledger cannot be written; `EngineLostError` if the engine fails; `OasError` if a worker
    cannot make runs at all: see `oas.campaigns.runner.Runner.run`. Recorded runs stay in the ledger.
    """
    recorded = ledger.keys()
    missing = [order for order in orders if order.key not in recorded]
    return _Drive(missing, len(orders), ledger, engine, on_progress).run()


@dataclass
class _Drive:
    missing: Sequence[Order]
    total: int
    ledger: Ledger
    engine: Engine
    on_progress: Callable[[Progress], None] | None

    def __post_init__(self) -> None:
        self.began = time.monotonic()
        self.made = 0
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.waiting = Counter(order.method.label for order in self.missing)
        self.repeated: list[Batch] = []
        self.suspects: list[Batch] = []
        self.accused: Batch | None = None
        self.failures: Counter[str] = Counter()
        self.followers: dict[str, list[Order]] = defaultdict(list)

    def run(self) -> int:
        queue = batches(self._ready(), self.ledger)
        pending: dict[Future[list[Record]], Batch] = {}
        self._report(None)
        while True:
            room = AHEAD * self.engine.slots
            while len(pending) < room:
                batch = self.repeated.pop() if self.repeated else next(queue, None)
                if batch is None:
                    break
                pending[self.engine.submit(batch)] = batch
            if not pending and self.suspects:
                self.accused = self.suspects.pop()
                pending[self.engine.submit(self.accused)] = self.accused
            if not pending:
                return self.made
            finished, _ = wait(pending, timeout=_POLL, return_when=FIRST_COMPLETED)
            self._record([record for future in finished for record in self._outcome(future, pending.pop(future))])

    def _ready(self) -> list[Order]:
        """Return the runs that can be made now; runs limited to the time of another missing run wait."""
        missing = {order.key for order in self.missing}
        leaders = {order.method.limits.time_of for order in self.missing} - missing - {""}
        seconds = {record.key: record.solve_seconds for record in self.ledger.records(leaders)} if leaders else {}
        ready = []
        for order in self.missing:
            time_of = order.method.limits.time_of
            if time_of in missing:
                self.followers[time_of].append(order)
            else:
                ready.append(_with_time(order, seconds[time_of]) if time_of else order)
        return ready

    def _outcome(self, future: Future[list[Record]], batch: Batch) -> list[Record]:
        """Return a batch's records; a batch that the engine failed to make is repeated a few times."""
        try:
            return future.result()
        except CancelledError:
            raise EngineLostError(f"{self.engine.name}: lost; what is recorded stays, run it again to go on") from None
        except StoppedError:  # the worker was stopped
            self.repeated.append(batch)
        except self.engine.killers as error:
            if batch is self.accused:
                return [blank(batch.orders[0], Termination.KILLED, f"its workers died: {error}")]
            # A run made at the same time may be the cause: each run is repeated alone, after all others.
            self.suspects += [replace(batch, orders=(order,)) for order in batch.orders]
        except OasError:
            raise
        except Exception as error:
            key = batch.orders[0].key
            self.failures[key] += 1
            if self.failures[key] >= ATTEMPTS:
                raise EngineLostError(f"{self.engine.name}: {type(error).__name__}: {error}") from error
            self.repeated.append(batch)
        return []

    def _record(self, records: list[Record]) -> None:
        if not records:
            return
        self.ledger.add(records)
        for record in records:
            self.made += 1
            self.seconds[record.method].append(record.seconds)
            self.waiting[record.method] -= 1
            followers = [_with_time(order, record.solve_seconds) for order in self.followers.pop(record.key, ())]
            self.repeated += batches(followers, self.ledger)
            self._report(record)

    def _report(self, last: Record | None) -> None:
        if self.on_progress is not None:
            done = self.total - len(self.missing) + self.made
            self.on_progress(Progress(done, self.total, time.monotonic() - self.began, self._left(), last))

    def _left(self) -> float | None:
        """Estimate the remaining seconds from the mean time of each method; at least one full run remains."""
        left = {label: count for label, count in self.waiting.items() if count}
        if not all(self.seconds[label] for label in left):
            return None
        means = {label: fmean(self.seconds[label]) for label in left}
        work = sum(count * means[label] for label, count in left.items())
        return max(work / self.engine.slots, *means.values(), 0.0)


def _with_time(order: Order, seconds: float) -> Order:
    """Return a run that is limited to another run's time, but at least to `LEAST_SECONDS`."""
    return replace(order, seconds=max(LEAST_SECONDS, Fraction(seconds)))
