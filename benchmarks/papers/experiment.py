"""An experiment: a paper's section, its campaign, the sizes it comes in, and what is computed from its runs."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oas.campaigns.declaration import Campaign, load_campaign
from oas.campaigns.driver import drive
from oas.campaigns.engines import pool_engine
from oas.campaigns.plan import plan
from oas.io.reading import loads

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.papers.statement import Statement
    from oas.campaigns.driver import Progress
    from oas.campaigns.ledger import Ledger
    from oas.campaigns.order import Order
    from oas.campaigns.sources import Source

SIZES = ("smoke", "standard", "printed")
SMOKE_LIMIT = Fraction(1)
"""Seconds of an exact run in smoke size."""
SMOKE_JOBS, SMOKE_EXACT = 10, 16
"""In smoke size each exact method runs on at most so many instances, of at most so many jobs."""


@dataclass(frozen=True)
class Experiment:
    """An experiment of a paper's section, and how to repeat it.

    Attributes
    ----------
    name
        As the command line takes it; the campaign is ``NAME.toml`` beside this file.
    rows
        Campaign and ledger in, rows out.
    statements
        Rows in, the paper's statements beside what is found out.
    tables
        Rows in, further tables in Markdown out: what the paper could not know.
    printed_instances
        How many the paper drew for each cell; None where it does not say, and the standard size is all there is.
    smoke
        Which instances are enough to see that all works.
    """

    name: str
    rows: Callable[[Campaign, Ledger], list[Any]]
    statements: Callable[[Sequence[Any]], list[Statement]]
    tables: Callable[[Sequence[Any]], str]
    printed_instances: int | None = None
    smoke: Callable[[Source], bool] = lambda source: True

    @property
    def file(self) -> Path:
        """The campaign's file."""
        return Path(__file__).with_name(f"{self.name}.toml")

    def campaign(self, size: str = "standard") -> Campaign:
        """Return the campaign in this size.

        ``standard`` is what the file says. ``printed`` has as many instances in each cell as the paper, the first ones
        the same. ``smoke`` has one, of some cells where there are many, and gives exact runs a second.
        """
        campaign = load_campaign(self.file)
        if size == "smoke":
            methods = tuple(
                replace(method, limits=replace(method.limits, seconds=SMOKE_LIMIT))
                if method.kind == "exact"
                else method
                for method in campaign.methods
            )
            sources = tuple(filter(self.smoke, _with_seeds(campaign.sources, 1)))
            return replace(campaign, sources=sources, methods=methods)
        if size == "printed" and self.printed_instances is not None:
            return replace(campaign, sources=_with_seeds(campaign.sources, self.printed_instances))
        return campaign


def ensure(
    campaign: Campaign,
    ledger: Ledger,
    workers: int | None = None,
    on_progress: Callable[[Progress], None] | None = None,
    *,
    smoke: bool = False,
) -> int:
    """Make what `ledger` lacks of `campaign`; return how many runs were made.

    In smoke size all heuristics run, and the exact methods on a few of the small instances.
    """
    orders = plan(campaign, ledger)
    if smoke:
        orders = _few_exact(orders, ledger)
    held = ledger.keys()
    if all(order.key in held for order in orders):
        return 0
    with pool_engine(workers) as engine:
        return drive(orders, ledger, engine, on_progress)


def _few_exact(orders: Sequence[Order], ledger: Ledger) -> list[Order]:
    """Return all heuristic orders and, of each exact method's on small instances, `SMOKE_EXACT` evenly spread."""
    by_method: dict[str, list[Order]] = defaultdict(list)
    kept = []
    for order in orders:
        if order.method.kind != "exact":
            kept.append(order)
        elif len(loads(ledger.document(order.digest), order.instance).jobs) <= SMOKE_JOBS:
            by_method[order.method.label].append(order)
    for own in by_method.values():
        kept += own[:: ceil(len(own) / SMOKE_EXACT)]
    return kept


def _with_seeds(sources: Sequence[Source], count: int) -> tuple[Source, ...]:
    """Return the sources with `count` successive seeds from the first on in each cell; those without seeds stay."""
    cells: dict[str, list[Source]] = defaultdict(list)
    for source in sources:
        others = {name: value for name, value in source.parameters.items() if name != "seed"}
        cells[json.dumps([source.kind, source.name, others])].append(source)
    found: list[Source] = []
    for cell in cells.values():
        first = cell[0].parameters.get("seed")
        if first is None:
            found += cell
        else:
            seeds = range(first, first + count)
            found += [replace(cell[0], parameters={**cell[0].parameters, "seed": seed}) for seed in seeds]
    return tuple(found)
