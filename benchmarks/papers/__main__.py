"""Print the statements of a paper's experiment next to the values found in the ledger of its campaign.

oas bench run benchmarks/oas-workloads.toml
python -m benchmarks.papers oas-workloads
python -m benchmarks.papers mosp-7.2 mosp-7.3 mosp-7.4 --output mosp_section7.md
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.common import write_page
from benchmarks.papers import mosp_homogeneous, mosp_variations, oas_slots, oas_workloads
from benchmarks.papers.experiment import mosp_rows, oas_rows, table
from oas.campaigns.declaration import load_campaign
from oas.campaigns.ledger import Ledger
from oas.core.errors import OasError
from oas.solvers.discovery import versions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from benchmarks.papers.experiment import Statement
    from oas.campaigns.declaration import Campaign

FOLDER = Path(__file__).parents[1]


class Experiment(NamedTuple):
    """An experiment: the rows of its ledger, the paper's statements about them, and further tables in Markdown."""

    rows: Callable[[Campaign, Ledger], list[Any]]
    statements: Callable[[Sequence[Any]], Iterable[Statement]] = lambda _: ()
    tables: Callable[[Sequence[Any]], str] = lambda _: ""


EXPERIMENTS = {
    "oas-slots": Experiment(oas_rows, oas_slots.statements, oas_slots.tables),
    "slot-sizes": Experiment(oas_rows, tables=oas_slots.tables),
    "oas-workloads": Experiment(oas_rows, oas_workloads.statements, oas_workloads.tables),
    "mosp-7.2": Experiment(mosp_rows, mosp_homogeneous.statements),
    "mosp-7.3": Experiment(mosp_rows, mosp_variations.policy_statements),
    "mosp-7.4": Experiment(mosp_rows, mosp_variations.size_statements),
}
"""By the name of the campaign, ``benchmarks/NAME.toml``."""


def report(name: str, campaign: Campaign, ledger: Ledger) -> str:
    """Return title, statements and tables of an experiment in Markdown."""
    experiment = EXPERIMENTS[name]
    rows = experiment.rows(campaign, ledger)
    statements = list(experiment.statements(rows))
    parts = [
        f"## {name}: {campaign.description}",
        f"{len(campaign.sources)} instances.",
        table(statements) if statements else "",
        experiment.tables(rows),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def experiments_document(names: Sequence[str], path: Path | None) -> str:
    """Return the page of some experiments from the ledger at `path`, by default from the one next to each campaign."""
    software = ", ".join(f"{name} {text}" for name, text in versions({}).items())
    parts = [f"# The papers' experiments\n\n    python -m benchmarks.papers {' '.join(names)}\n", f"{software}\n"]
    for name in names:
        with Ledger(path or FOLDER / f"{name}.ledger") as ledger:
            parts.append(report(name, load_campaign(FOLDER / f"{name}.toml"), ledger))
    return "\n".join(parts)


def main(arguments: list[str] | None = None) -> int:
    """Print the page, or write it to a file. Exit code 2 if a file cannot be read or written."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiments", nargs="+", metavar="NAME", help=", ".join(EXPERIMENTS))
    parser.add_argument("--ledger", type=Path, help="NAME.ledger next to the campaign if not given")
    parser.add_argument("--output", type=Path, help="Markdown file to write; stdout if not given")
    options = parser.parse_args(arguments)
    for name in options.experiments:
        if name not in EXPERIMENTS:
            parser.error(f"{name}: no such experiment; known: {', '.join(EXPERIMENTS)}")
    try:
        write_page(experiments_document(options.experiments, options.ledger), options.output)
    except (OasError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
