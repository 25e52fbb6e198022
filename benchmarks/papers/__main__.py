"""Run a paper's experiment, and print what is found beside what the paper states.

    python -m benchmarks.papers oas-workloads
    python -m benchmarks.papers mosp-7.2 --size printed --output mosp_section72.md

Each experiment is a campaign, NAME.toml in this folder, and its runs go to a ledger: what is there is not run again,
here or by ``oas bench run``. Sizes: ``smoke``, one instance in each cell; ``standard``, what the campaign says;
``printed``, as many instances in each cell as the paper has.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.papers.experiment import SIZES, ensure
from benchmarks.papers.experiments import EXPERIMENTS
from benchmarks.papers.statement import table
from oas.campaigns.ledger import Ledger
from oas.core.errors import OasError
from oas.exact.versions import versions

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.papers.experiment import Experiment
    from oas.campaigns.driver import Progress


def report(experiment: Experiment, size: str, ledger: Ledger, workers: int | None) -> str:
    """Make what is missing of an experiment; return its title and tables in Markdown."""
    campaign = experiment.campaign(size)
    ensure(campaign, ledger, workers, _progress(experiment.name), smoke=size == "smoke")
    rows = experiment.rows(campaign, ledger)
    parts = [
        f"## {experiment.name}: {campaign.description}",
        f"{len(campaign.sources)} instances.",
        table(experiment.statements(rows)),
        experiment.tables(rows),
    ]
    return "\n\n".join(parts) + "\n"


def _progress(name: str) -> Callable[[Progress], None]:
    def show(seen: Progress) -> None:
        if seen.done == seen.total or seen.done % 500 == 0:
            print(f"{name}: {seen.done} of {seen.total} runs", file=sys.stderr)

    return show


def main(arguments: list[str] | None = None) -> int:
    """Print the tables, or write them to a file. Exit code 2 for what cannot be read or written."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiments", nargs="*", metavar="EXPERIMENT", help=f"of {', '.join(EXPERIMENTS)}; all")
    parser.add_argument("--size", choices=SIZES, default="standard")
    parser.add_argument("--ledger", type=Path, help="NAME.ledger beside each campaign if not given")
    parser.add_argument("--workers", type=int, help="processes; one for each core if not given")
    parser.add_argument("--output", type=Path, help="Markdown file to write; stdout if not given")
    options = parser.parse_args(arguments)
    names = options.experiments or list(EXPERIMENTS)
    if unknown := [name for name in names if name not in EXPERIMENTS]:
        parser.error(f"unknown experiment {unknown[0]}; known: {', '.join(EXPERIMENTS)}")
    if options.workers is not None and options.workers < 1:
        parser.error("--workers must be at least 1")
    software = ", ".join(f"{name} {text}" for name, text in versions({}).items())
    parts = [f"# The papers' experiments\n\n    python -m benchmarks.papers {' '.join(names)} --size {options.size}\n"]
    parts.append(f"{software}\n")
    try:
        for experiment in map(EXPERIMENTS.__getitem__, names):
            with Ledger(options.ledger or experiment.file.with_suffix(".ledger"), write=True) as ledger:
                parts.append(report(experiment, options.size, ledger, options.workers))
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
