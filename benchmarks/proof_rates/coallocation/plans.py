"""The plan of the measurements: cells of instances, and plans that name cells."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, get_args

import msgspec

from benchmarks.proof_rates.shared.plans import Plan, round_robin
from oas.generate.coallocation.section4 import Bandwidth, section4

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from benchmarks.proof_rates.shared.plans import Case
    from oas.problems.coallocation.instance import CoallocationInstance


class Cell(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Instances that differ in their seeds only, and the limits they get.

    Attributes
    ----------
    jobs, clusters, nodes, bandwidth, percent
        As `oas.generate.section4` takes them: `nodes` in each cluster, η in percent of the mean base time.
    seconds
        Limit of `oas.solve`, wall time.
    rival_seconds
        Limit of CP-SAT; None for the time that `oas.solve` took.
    """

    jobs: int = 12
    clusters: int = 3
    nodes: int = 4
    bandwidth: Bandwidth = "std"
    percent: str = "25"
    seconds: float = 20.0
    rival_seconds: float | None = 20.0

    @property
    def grid(self) -> str:
        """Clusters and nodes of each."""
        return f"{self.clusters}x{self.nodes}"

    def instance(self, seed: int) -> CoallocationInstance:
        """Draw the instance of this seed."""
        return section4(
            seed=seed,
            jobs=self.jobs,
            clusters=self.clusters,
            nodes=self.nodes,
            bandwidth=self.bandwidth,
            slot_percent=self.percent,
        )

    def __str__(self) -> str:
        return f"{self.jobs} jobs on {self.grid}, {self.bandwidth}, η {self.percent} %"


def _cells(
    jobs: int,
    grids: Iterable[tuple[int, int]],
    percents: Iterable[str],
    seconds: float,
    rival_seconds: float | None = None,
) -> tuple[Cell, ...]:
    return tuple(
        Cell(
            jobs=jobs,
            clusters=clusters,
            nodes=nodes,
            bandwidth=bandwidth,
            percent=percent,
            seconds=seconds,
            rival_seconds=rival_seconds,
        )
        for (clusters, nodes), bandwidth, percent in product(grids, get_args(Bandwidth), percents)
    )


GROWTH: Mapping[str, Mapping[str, Cell]] = {
    "jobs": {str(jobs): Cell(jobs=jobs) for jobs in (4, 8, 12, 16, 24, 32, 48, 64)},
    "nodes of each cluster": {str(nodes): Cell(nodes=nodes) for nodes in (2, 4, 8, 20, 40, 80, 160)},
    "clusters": {str(clusters): Cell(clusters=clusters) for clusters in (1, 2, 3, 4, 6, 8)},
    "1/η, per mean base time": {
        shown: Cell(percent=percent)
        for shown, percent in (
            (".4", "250"),
            ("1", "100"),
            ("2", "50"),
            ("4", "25"),
            ("10", "10"),
            ("20", "5"),
            ("40", "2.5"),
            ("∞", "0"),
        )
    },
}
"""For each axis along which cost may grow: its values, in order, and their cells. All else is as `Cell` has it."""

LEAST_SEED = 100  # seeds below are left to those who work on bounds and searches


def first_seed(cell: Cell) -> int:
    """Return the first seed of a cell: all that tells it from others stands in it, so that no two cells share jobs.

    One seed gives the same times under either bandwidth and any η: cells that shared it would be one sample. From the
    left the digits are 1 for std and 2 for tight, then jobs, clusters, nodes and thousandths of the mean base time with
    four, two, four and five digits, and four for the number of the instance, from 100 on.
    """
    seed = get_args(Bandwidth).index(cell.bandwidth) + 1
    thousandths = int(10 * Fraction(cell.percent))
    for value, digits in ((cell.jobs, 4), (cell.clusters, 2), (cell.nodes, 4), (thousandths, 5), (0, 4)):
        seed = seed * 10**digits + value
    return seed + LEAST_SEED


_PAPER, _WIDE = (3, 4), (3, 20)
_FINE = ("50", "25", "10")
_SIXTEEN = _cells(16, [_PAPER, _WIDE], _FINE, 60.0)
_THIRTYTWO = _cells(32, [_PAPER, _WIDE], _FINE, 60.0)
_SIXTYFOUR = _cells(64, [(3, 80), (6, 20)], _FINE, 60.0)
PLANS: Mapping[str, Plan] = {
    "eight": Plan(
        "Eight jobs, the paper's size",
        _cells(8, [_PAPER], ("250", "100", "50", "25", "15", "10", "5", "0"), 20.0, 20.0),
        24,
        first_seed,
    ),
    "sixteen": Plan("Sixteen jobs", _SIXTEEN, 12, first_seed),
    "thirtytwo": Plan("Thirty-two jobs", _THIRTYTWO, 12, first_seed),
    "sixtyfour": Plan("Sixty-four jobs", _SIXTYFOUR, 12, first_seed),
    "twofiftysix": Plan("256 jobs", _cells(256, [(6, 80)], _FINE, 60.0), 4, first_seed),
    "sixteen-old": Plan("Sixteen jobs, the old sample: cells share their seeds", _SIXTEEN, 12),
    "thirtytwo-old": Plan("Thirty-two jobs, the old sample", _THIRTYTWO, 12),
    "sixtyfour-old": Plan("Sixty-four jobs, the old sample", _SIXTYFOUR, 12),
    "growth": Plan(
        "How cost grows", tuple(dict.fromkeys(cell for axis in GROWTH.values() for cell in axis.values())), 5
    ),
    "smoke": Plan(
        "A smoke test",
        (
            Cell(jobs=8, percent="50"),
            Cell(jobs=8, bandwidth="tight", percent="0"),
            Cell(jobs=16, percent="50", seconds=3.0, rival_seconds=None),
        ),
        2,
    ),
}


def cases(names: Iterable[str], seeds: int | None = None) -> Iterator[Case]:
    """Yield the instances of these plans, round robin over their cells; `seeds` is how many of each cell at most."""
    return round_robin(PLANS, names, seeds)
