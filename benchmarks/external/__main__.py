"""The command: fetch files, list sets, measure them, write the page."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import benchmarks.external as package
from benchmarks.external.archives import CACHE
from benchmarks.external.catalogue import CATALOGUE, load
from benchmarks.external.fetch import fetch, wanted_files
from benchmarks.external.instances import Source, plans
from benchmarks.external.measure import measure
from benchmarks.external.report import groups, report
from benchmarks.external.rows import ExternalRow
from benchmarks.proof_rates.mosp.measure import warm_up
from benchmarks.proof_rates.shared.anytime_chart import draw_anytime
from benchmarks.proof_rates.shared.command import exit_code, mismatches, run
from benchmarks.proof_rates.shared.plans import round_robin
from benchmarks.proof_rates.shared.rows import latest, read_rows
from oas.core.errors import InputError
from oas.plots.files import save_figure

if TYPE_CHECKING:
    from benchmarks.external.catalogue import Catalogue


def main(arguments: list[str] | None = None) -> int:
    """Do what was asked; 1 if anything contradicts, 2 for bad input, 130 after Ctrl-C."""
    options = _parser().parse_args(arguments)
    works = {"fetch": _fetch, "list": _list, "run": _run, "report": _report}
    return exit_code(lambda: works[options.command](options, load(options.catalogue)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.external",
        description=package.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--catalogue", type=Path, default=CATALOGUE, help="another catalogue than the one that is kept")
    commands = parser.add_subparsers(dest="command", required=True)
    fetching = commands.add_parser("fetch", help="bring the files into the cache, checksums verified")
    fetching.add_argument("--from", dest="folder", type=Path, help="take them from this folder, not from the network")
    commands.add_parser("list", help="show the sets")
    running = commands.add_parser("run", help="solve the instances; rows that are there are kept")
    running.add_argument("--seconds", type=float, default=60.0, help="limit of each solve")
    running.add_argument("--instances", type=int, help="at most so many of each set, evenly spread over it")
    for command in (fetching, running):
        command.add_argument("--cache", type=Path, default=CACHE, help="folder of the files")
        command.add_argument("--sets", nargs="+", help="only these")
    reporting = commands.add_parser("report", help="write the page from rows")
    for command in (running, reporting):
        command.add_argument("--rows", type=Path, required=True, help="file of rows, a line of JSON for each instance")
        command.add_argument("--plot", type=Path, metavar="FILE", help="chart of what is open over time, .svg or .png")
    running.add_argument("--report", type=Path, help="Markdown file to write from the rows")
    reporting.add_argument("report", type=Path, help="Markdown file to write")
    return parser


def _fetch(options: argparse.Namespace, catalogue: Catalogue) -> list[str]:
    for line in fetch(wanted_files(catalogue, _chosen(options, catalogue)), options.cache, options.folder):
        print(line)
    return []


def _list(_: argparse.Namespace, catalogue: Catalogue) -> list[str]:
    for one in catalogue.sets:
        print(f"{one.name}: {one.title}, {len(one.instances)} instances ({one.kind})")
    for made in catalogue.organized:
        print(f"{made.name}: {made.title}, {len(made.of)} instances")
    return []


def _run(options: argparse.Namespace, catalogue: Catalogue) -> list[str]:
    if not options.seconds > 0:
        raise InputError("must be above 0", field="--seconds", value=options.seconds)
    if options.instances is not None and options.instances < 1:
        raise InputError("must be at least 1", field="--instances", value=options.instances)
    source = Source(catalogue, options.cache)
    wanted = list(round_robin(plans(catalogue, options.seconds, options.instances), _chosen(options, catalogue)))
    for case in wanted:
        source.make(case.cell)  # what cannot be read is said before an hour has gone
    run(options.rows, wanted, ExternalRow, partial(measure, source), warm_up)
    return _report(options, catalogue)


def _report(options: argparse.Namespace, catalogue: Catalogue) -> list[str]:
    rows = latest(read_rows(options.rows, ExternalRow))
    if options.report is not None:
        options.report.write_text(report(rows, catalogue), encoding="utf-8")
    if options.plot is not None:
        save_figure(draw_anytime(groups(rows, catalogue)), options.plot)
    return mismatches(rows)


def _chosen(options: argparse.Namespace, catalogue: Catalogue) -> list[str]:
    names = options.sets or catalogue.names
    for name in names:
        if name not in catalogue.names:
            known = ", ".join(catalogue.names)
            raise InputError(f"no set has this name; there are {known}", field="--sets", value=name)
    return list(dict.fromkeys(names))


if __name__ == "__main__":
    sys.exit(main())
