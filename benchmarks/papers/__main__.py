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

from benchmarks.papers import mosp_heterogeneous, mosp_homogeneous, mosp_policies, oas_slots, oas_workloads
from benchmarks.papers.mosp_rows import mosp_rows, optima_table
from benchmarks.papers.oas_rows import oas_rows
from benchmarks.papers.statement import table
from oas.campaigns.declaration import load_campaign
from oas.campaigns.ledger import Ledger
from oas.core.errors import OasError
from oas.exact.versions import versions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.papers.statement import Statement
    from oas.campaigns.declaration import Campaign

FOLDER = Path(__file__).parents[1]


class Experiment(NamedTuple):
    """An experiment: the rows of its ledger, the paper's statements about them, and further tables in Markdown."""

    rows: Callable[[Campaign, Ledger], list[Any]]
    statements: Callable[[Sequence[Any]], list[Statement]]
    tables: Callable[[Sequence[Any]], str]


EXPERIMENTS = {
    "oas-slots": Experiment(oas_rows, oas_slots.statements, oas_slots.tables),
    "oas-workloads": Experiment(oas_rows, oas_workloads.statements, oas_workloads.tables),
    "mosp-7.2": Experiment(mosp_rows, mosp_homogeneous.statements, optima_table),
    "mosp-7.3": Experiment(mosp_rows, mosp_policies.statements, lambda rows: optima_table(rows, mosp_policies.policy)),
    "mosp-7.4": Experiment(mosp_rows, mosp_heterogeneous.statements, optima_table),
}
"""By the name of the campaign, ``benchmarks/NAME.toml``."""


def report(name: str, campaign: Campaign, ledger: Ledger) -> str:
    """Return title, statements and tables of an experiment in Markdown."""
    experiment = EXPERIMENTS[name]
    rows = experiment.rows(campaign, ledger)
    parts = [
        f"## {name}: {campaign.description}",
        f"{len(campaign.sources)} instances.",
        table(experiment.statements(rows)),
        experiment.tables(rows),
    ]
    return "\n\n".join(parts) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Print the page, or write it to a file. Exit code 2 if a file cannot be read or written."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiments", nargs="+", choices=EXPERIMENTS, metavar="NAME", help=", ".join(EXPERIMENTS))
    parser.add_argument("--ledger", type=Path, help="NAME.ledger beside the campaign if not given")
    parser.add_argument("--output", type=Path, help="Markdown file to write; stdout if not given")
    options = parser.parse_args(arguments)
    software = ", ".join(f"{name} {text}" for name, text in versions({}).items())
    parts = [f"# The papers' experiments\n\n    python -m benchmarks.papers {' '.join(options.experiments)}\n"]
    parts.append(f"{software}\n")
    try:
        for name in options.experiments:
            with Ledger(options.ledger or FOLDER / f"{name}.ledger") as ledger:
                parts.append(report(name, load_campaign(FOLDER / f"{name}.toml"), ledger))
        if options.output is not None:
            options.output.write_text("\n".join(parts), encoding="utf-8")
    except (OasError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    if options.output is None:
        print("\n".join(parts), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
