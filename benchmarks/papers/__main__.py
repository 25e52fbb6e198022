"""Regenerate a paper's experiment and print what is found beside what the paper states.

    python -m benchmarks.papers mosp-7.2 mosp-7.3 mosp-7.4 --output benchmarks/results/mosp_section7.md
    python -m benchmarks.papers mosp-7.2 --printed-size

By default 10 instances a cell; with --printed-size as many as the paper has.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.papers import mosp_heterogeneous, mosp_homogeneous, mosp_policies
from benchmarks.papers.scores import run
from benchmarks.papers.statement import table
from oas.exact.versions import versions

if TYPE_CHECKING:
    from types import ModuleType

    from benchmarks.papers.scores import Row

EXPERIMENTS: dict[str, ModuleType] = {
    "mosp-7.2": mosp_homogeneous,
    "mosp-7.3": mosp_policies,
    "mosp-7.4": mosp_heterogeneous,
}


def report(name: str, instances: int | None, workers: int) -> str:
    """Run an experiment; return its title and table in Markdown."""
    experiment = EXPERIMENTS[name]
    cases = experiment.cases(instances or experiment.PRINTED_INSTANCES)
    rows: list[Row] = []
    tenth = max(1, len(cases) // 10)
    for done, found in enumerate(run(cases, workers), start=1):
        rows += found
        if done % tenth == 0 or done == len(cases):
            print(f"{name}: {done} of {len(cases)} instances", file=sys.stderr)
    first = (experiment.__doc__ or "").strip()
    return f"## {name}: {first}\n\n{len(cases)} instances.\n\n{table(experiment.statements(rows))}\n"


def main(arguments: list[str] | None = None) -> int:
    """Print the tables, or write them to a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiments", nargs="*", metavar="EXPERIMENT", help=f"of {', '.join(EXPERIMENTS)}; all")
    parser.add_argument("--instances", type=int, default=10, help="for each cell")
    parser.add_argument("--printed-size", action="store_true", help="as many instances for each cell as the paper has")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--output", type=Path, help="Markdown file to write; stdout if not given")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.experiments if name not in EXPERIMENTS]:
        parser.error(f"unknown experiment {unknown[0]}; known: {', '.join(EXPERIMENTS)}")
    if min(options.instances, options.workers) < 1:
        parser.error("--instances and --workers must be at least 1")
    software = ", ".join(f"{name} {text}" for name, text in versions({}).items())
    parts = [
        report(name, None if options.printed_size else options.instances, options.workers)
        for name in options.experiments or EXPERIMENTS
    ]
    size = "--printed-size" if options.printed_size else f"--instances {options.instances}"
    command = f"    python -m benchmarks.papers {' '.join(options.experiments or EXPERIMENTS)} {size}"
    heading = f"# The MOCCA paper's experiments\n\n{command}\n\n{software}\n"
    text = "\n".join([heading, *parts])
    if options.output is None:
        print(text, end="")
    else:
        options.output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
