"""Tables of MIP models: linear relaxation, root, nodes, time and proven share by sample, size, slot size and method.

`python -m benchmarks.measurements.mip_models [NAME=]LEDGER …` reads ledgers of `mip-models.toml` and
`mip-literal.toml`. A ledger of the same campaign that another version made gets a NAME, which is added to its methods.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import dataclass, replace
from fractions import Fraction
from statistics import fmean, median
from typing import TYPE_CHECKING

from oas.campaigns.ledger import Ledger
from oas.io.reading import loads
from oas.show.text_tables import MISSING, Table, to_markdown
from oas.solving.lower_bound import best_bound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from oas.core.instances import Instance
    from oas.core.result import Result

HEADER = (
    "instances", "method", "number", "proven", "in 30 s", "median s", "LP / makespan", "root / makespan",
    "LP ≥ bound", "nodes",
)  # fmt: skip
REMARK = (
    "proven: the solver claims the makespan of its schedule as a bound, or a certificate proves it. median s: of the "
    "first call of the solver with the construction of the model, the limit if it proved nothing; of the toolkit, of "
    "the whole solve. LP, root: bound of the relaxation and of the root after cuts, rounded up to the time grid and "
    "divided by the least makespan known, means. LP ≥ bound: instances whose LP bound is at least the combinatorial "
    "bound that is computed first. nodes: median."
)


@dataclass(frozen=True)
class Run:
    """A run of a method on an instance."""

    sample: str
    cell: str  # of the sample, with size and slot size
    method: str
    digest: str
    result: Result
    bound: Fraction  # combinatorial
    seconds: float
    lp: Fraction | None = None  # bound of the linear relaxation
    root: Fraction | None = None  # bound at the root after cuts
    nodes: int | None = None

    @property
    def proven(self) -> bool:
        """Whether a bound, certified or claimed by the solver alone, is the makespan of the schedule."""
        proof = self.result.proof
        claims = (*proof.claims, *proof.unconfirmed) if proof is not None else ()
        bounds = [self.result.lower_bound, *(claim.bound for claim in claims)]
        return self.result.objective is not None and any(
            bound is not None and bound >= self.result.objective for bound in bounds
        )


def sample_of(instance: Instance) -> tuple[str, str]:
    """Return the sample and the cell of an instance: number of jobs, and slot size or number of processors."""
    drawn = instance.provenance
    if "slot_percent" in drawn:
        sample = f"co-allocation, {drawn['jobs']} jobs"
        return sample, f"{sample}, slot {drawn['slot_percent']} %"
    return "uniform", f"uniform, {drawn['jobs']} jobs, {drawn['processors']} processors"


def runs_of(name: str, path: str) -> Iterator[Run]:
    """Yield the runs in a ledger."""
    with Ledger(path) as ledger:
        instances: dict[str, tuple[str, str, Fraction]] = {}
        for record in ledger.records(with_results=True):
            if record.digest not in instances:
                instance = loads(ledger.document(record.digest), path)
                first = best_bound(instance)
                instances[record.digest] = (*sample_of(instance), Fraction(0) if first is None else first.value)
            result = record.unpacked()
            if result is not None:
                sample, cell, bound = instances[record.digest]
                method, model = f"{record.method} {name}".strip(), result.model
                run = Run(sample, cell, method, record.digest, result, bound, record.seconds)
                if model is not None and record.method != "exact":
                    run = replace(
                        run, seconds=model.seconds, lp=model.lp_bound, root=model.root_bound, nodes=model.nodes
                    )
                yield run


def rows(runs: Sequence[Run], limit: float, group_of: Callable[[Run], str]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a table: one for each group and method."""
    least: dict[str, Fraction] = {}
    for run in runs:
        if run.result.objective is not None:
            least[run.digest] = min(least.get(run.digest, run.result.objective), run.result.objective)
    groups: dict[tuple[str, str], list[Run]] = defaultdict(list)
    for run in runs:
        groups[group_of(run), run.method].append(run)
    for (group, method), members in sorted(groups.items()):
        proven = [run for run in members if run.proven]
        times = [run.seconds if run.proven else limit for run in members]
        lp = [run.lp >= run.bound for run in members if run.lp is not None]
        nodes = [run.nodes for run in members if run.nodes is not None]
        yield (
            group,
            method,
            str(len(members)),
            str(len(proven)),
            str(sum(run.seconds <= 30 for run in proven)),
            f"{median(times):.1f}",
            _ratio((run.lp, least.get(run.digest)) for run in members),
            _ratio((run.root, least.get(run.digest)) for run in members),
            f"{sum(lp)} of {len(lp)}" if lp else MISSING,
            f"{median(nodes):.0f}" if nodes else MISSING,
        )


def _ratio(pairs: Iterable[tuple[Fraction | None, Fraction | None]]) -> str:
    ratios = [float(bound / makespan) for bound, makespan in pairs if bound is not None and makespan]
    return f"{fmean(ratios):.3f}" if ratios else MISSING


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ledgers", nargs="+", metavar="[NAME=]LEDGER")
    parser.add_argument("--limit", type=float, default=60.0, help="time limit of the runs in seconds")
    given = parser.parse_args(arguments)
    named = [text.partition("=") if "=" in text else ("", "=", text) for text in given.ledgers]
    runs = [run for name, _, path in named for run in runs_of(name, path)]
    samples = Table("By sample", HEADER, list(rows(runs, given.limit, lambda run: run.sample)), REMARK)
    cells = Table("By size and slot size", HEADER, list(rows(runs, given.limit, lambda run: run.cell)))
    print(to_markdown("MIP models", [], [samples, cells]), end="")


if __name__ == "__main__":
    main()
