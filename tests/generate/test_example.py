"""The demo's instance: what the generator makes, and worth showing."""

from functools import cache
from pathlib import Path

from benchmarks.measurements.coallocation.tight_links import without_links
from heuristics.registry import own_methods
from oas.bounds.lower_bound import best_bound
from oas.core.result import Status
from oas.exact.pipeline import solve
from oas.generate import section4
from oas.io.reading import load
from oas.io.writing import dumps
from oas.problems.coallocation.instance import CoallocationInstance
from oas.problems.coallocation.problem import COALLOCATION

FILE = Path(__file__).parents[2] / "examples" / "grid.json"


@cache
def made() -> CoallocationInstance:
    return section4(seed=143, bandwidth="tight", slot_percent=50)


def test_the_file_is_what_the_generator_makes() -> None:
    instance = load(FILE)
    assert instance == made()
    assert instance.name == made().name
    assert instance.provenance == made().provenance
    assert FILE.read_bytes() == dumps(made())


def test_heuristics_spread_above_the_bound() -> None:
    slots = sorted(int(method(made()).makespan / made().slot) for method in own_methods(COALLOCATION))
    assert slots == [14, 14, 14, 16, 17, 18]
    assert best_bound(made()).value == 10 * made().slot


def test_links_raise_the_optimum() -> None:
    """12 slots, below every heuristic, above the combinatorial bound; 11 without links."""
    held, free = solve(made(), time_limit=120), solve(without_links(made()), time_limit=120)
    assert (held.status, held.objective) == (Status.OPTIMAL, 12 * made().slot)
    assert (free.status, free.objective) == (Status.OPTIMAL, 11 * made().slot)
    widest = max(cluster.size for cluster in made().clusters)
    assert sum(job.tasks > widest for job in made().jobs) == 4
