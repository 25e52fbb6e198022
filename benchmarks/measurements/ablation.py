"""Ablation study of the exact methods: instances are solved unchanged, then without one mechanism at a time.

    python -m benchmarks.measurements.ablation benchmarks/ablation.toml ROWS [--seconds 20]

A mechanism is switched off on the instances where it contributed: it raised the bound, certified the optimum or found a
better schedule. ROWS is a file of JSON lines; a run that it has is not repeated.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections import Counter
from contextlib import ExitStack
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import patch

from benchmarks.common import Journal
from oas.campaigns.declaration import load_campaign
from oas.coallocation.exact import search as coallocation
from oas.mosp.exact import search as mosp
from oas.mosp.exact.stages import local
from oas.solving.evidence import Evidence
from oas.solving.pipeline import solve
from oas.solving.search import ExactSearch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.campaigns.sources import Source

NONE, MANY = "", 10**9  # NONE: no mechanism is switched off; MANY: more jobs than any instance has


class Mechanism(NamedTuple):
    """Names of the bounds and schedules of a mechanism, and the replacements (place, name, value) that disable it."""

    names: tuple[str, ...]
    replaced: tuple[tuple[object, str, object], ...]


def _without(place: object, name: str, *left_out: str) -> tuple[tuple[object, str, object], ...]:
    """Return the replacement of a tuple of functions or texts by one without the items of these names."""
    return ((place, name, tuple(one for one in getattr(place, name) if getattr(one, "__name__", one) not in left_out)),)


_stages, _kinds = partial(_without, mosp, "PLAN"), partial(_without, coallocation, "COMPLETE")
MECHANISMS = {
    "machines": Mechanism(("balanced machines",), _stages("machines")),
    "start tree": Mechanism(("start tree",), _stages("first_tree", "last_tree")),
    "partitions": Mechanism(("partitions",), _stages("first_partitions", "partitions")),
    "two-dimensional": Mechanism(("two-dimensional",), _stages("two_dimensional")),
    "CP-SAT on organizations": Mechanism(("cpsat on cumulative",), _stages("early_decisions", "decisions")),
    "orders": Mechanism(("search over orders",), ((local, "ORDER_JOBS", MANY),)),
    "chronological": Mechanism(("search log",), _kinds("relaxed", "placed")),
    "chronological, placed": Mechanism(("search log", "placed search"), _kinds("placed")),
    "beam": Mechanism(("local search",), ((coallocation, "LEAST_JOBS", MANY),)),
    "widest first": Mechanism(("widest first",), ((coallocation, "MANY_JOBS", MANY),)),
    "CP-SAT on co-allocation": Mechanism(
        ("cpsat on counts",), ((coallocation.CoallocationExactSearch, "ASKED_JOBS", 0),)
    ),
}


def row(source: Source, without: str, seconds: float) -> dict[str, Any]:
    """Solve an instance without a mechanism; return the outcome and the sources of all improvements."""
    contributed: set[str] = set()
    offer, raise_bound = Evidence.offer, ExactSearch.raise_bound

    def noted_offer(self: Evidence, schedule: Any, by: str, **more: Any) -> Any:
        before, answer = self.makespan, offer(self, schedule, by, **more)
        contributed.update(() if self.makespan == before else (by,))
        return answer

    def noted_bound(self: ExactSearch, bound: Any) -> None:
        before = self.evidence.bound
        raise_bound(self, bound)
        contributed.update(() if self.evidence.bound is before else (bound.name,))

    instance, began = source.make(), time.monotonic()
    with ExitStack() as stack:
        noted = (Evidence, "offer", noted_offer), (ExactSearch, "raise_bound", noted_bound)
        for place, name, value in (*noted, *(MECHANISMS[without].replaced if without else ())):
            stack.enter_context(patch.object(place, name, value))
        result = solve(instance, time_limit=seconds, threads=1)
    bound = result.proof.bound if result.proof else None
    return {
        "without": without,
        "status": result.status.value,
        "lower": str(result.lower_bound),
        "makespan": str(result.objective),
        "seconds": round(time.monotonic() - began, 2),
        "proof": bound.name if bound else "",
        "contributed": sorted(contributed | ({bound.name} if bound else set())),
    }


def rows_to_make(sources: Sequence[Source], made: list[dict[str, Any]]) -> Iterator[tuple[int, Source, str]]:
    """Yield each run that is missing: all unchanged ones, then those without a mechanism that contributed."""
    there = {(one["instance"], one["without"]) for one in made}
    yield from ((place, source, NONE) for place, source in enumerate(sources) if (place, NONE) not in there)
    unchanged = {one["instance"]: one for one in made if one["without"] == NONE}
    for name, mechanism in MECHANISMS.items():
        for place, source in enumerate(sources):
            contributed = place in unchanged and set(mechanism.names) & set(unchanged[place]["contributed"])
            if contributed and (place, name) not in there:
                yield place, source, name


def table(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a row of the Markdown table for each mechanism: contributions, and losses without it."""
    unchanged = {one["instance"]: one for one in rows if one["without"] == NONE}
    proven = sum(one["status"] == "optimal" for one in unchanged.values())
    closed = Counter(one["proof"] for one in unchanged.values() if one["proof"])
    yield f"Unchanged, {proven} of {len(unchanged)} instances are proven."
    yield "Closed by: " + ", ".join(f"{name} {count}" for name, count in closed.most_common()) + ".\n"
    yield "| without | contributed to | proofs lost | bound lower | schedule longer | seconds with, without |"
    yield "|---" * 6 + "|"
    for name in MECHANISMS:
        pairs = [(unchanged[one["instance"]], one) for one in rows if one["without"] == name]
        lost = sum(old["status"] == "optimal" != new["status"] for old, new in pairs)
        lower = sum(Fraction(new["lower"]) < Fraction(old["lower"]) for old, new in pairs)
        longer = sum(Fraction(new["makespan"]) > Fraction(old["makespan"]) for old, new in pairs)
        seconds = [sum(pair[which]["seconds"] for pair in pairs) for which in (0, 1)]
        yield f"| {name} | {len(pairs)} | {lost} | {lower} | {longer} | {seconds[0]:.0f}, {seconds[1]:.0f} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the rows that are missing, and print the table."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("campaign", type=Path, help="its instances are solved")
    parser.add_argument("rows", type=Path, help="where the runs are kept")
    parser.add_argument("--seconds", type=float, default=20, help="for each run")
    chosen = parser.parse_args(arguments)
    sources = load_campaign(chosen.campaign).sources
    with Journal(chosen.rows) as journal:
        while missing := list(rows_to_make(sources, journal.rows)):  # the unchanged runs decide on others
            for place, source, name in missing:
                journal.add({"instance": place, "sample": source.sample, **row(source, name, chosen.seconds)})
        print("\n".join(table(journal.rows)))


if __name__ == "__main__":
    main()
