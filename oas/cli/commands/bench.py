"""`oas bench`: campaigns."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from oas.campaigns.declaration import Campaign, load_campaign
from oas.campaigns.driver import Progress, drive
from oas.campaigns.engines import Engine
from oas.campaigns.ledger import Ledger
from oas.campaigns.plan import Order, part, plan, smoke
from oas.campaigns.status import SUFFIXES, certificates, counted, export, status, verify_ledger, verify_sources
from oas.cli import options as opt
from oas.cli.output import check_target, leave, put, put_all
from oas.cli.plain_help import add_command, command_group
from oas.core.errors import InputError
from oas.core.formats import show_count, show_seconds
from oas.io.files import clean
from oas.show.progress import ProgressLine
from oas.show.tables import Table

EPILOG = """\b
Examples:
  oas bench run uni.toml
  oas bench status uni.toml
  oas bench report uni.toml --output report/"""

bench_app = command_group(EPILOG)

CampaignFile = Annotated[str, Argument(metavar="FILE", help="Campaign file (TOML).")]


@dataclass(frozen=True)
class LedgerOptions:
    """The ledger and the part of the campaign."""

    ledger: str | None = opt.option(None, "PATH", "Ledger. Default: NAME.ledger next to the campaign file.")
    sample: list[str] | None = opt.option(
        None, "NAME", "Only samples of this name or pattern; repeatable. Default: all."
    )
    smoke: bool = Option(
        False, "--smoke", help="Trial: one instance of each sample and one second per run, in a separate ledger."
    )

    def campaign(self, file: str) -> tuple[Campaign, Path]:
        """Return the requested part of the campaign and the path of its ledger."""
        campaign = load_campaign(file)
        campaign = part(campaign, self.sample) if self.sample else campaign
        campaign = smoke(campaign) if self.smoke else campaign
        return campaign, Path(self.ledger) if self.ledger else Path(file).parent / f"{campaign.name}.ledger"

    @contextmanager
    def opened(self, file: str) -> Iterator[tuple[Campaign, Ledger, list[Order]]]:
        """Yield the campaign, its ledger (read-only) and the requested runs."""
        campaign, path = self.campaign(file)
        with Ledger(path) as ledger:
            yield campaign, ledger, _planned(campaign, ledger, quiet=True)


@dataclass(frozen=True)
class EngineOptions:
    """The workers that execute the runs."""

    workers: int | None = opt.option(
        None, "N", "Worker processes on this machine. Default: one per available processor.", min=1
    )
    dask: str | None = opt.option(None, "ADDRESS", "Use the Dask cluster with the scheduler at this address.")
    slurm: int | None = opt.option(None, "JOBS", "Number of SLURM jobs; [slurm] of the file configures them.", min=1)

    def engine(self, campaign: Campaign) -> AbstractContextManager[Engine]:
        from oas.campaigns.engines import dask_engine, pool_engine, slurm_engine

        options = [f"--{name}" for name, value in vars(self).items() if value is not None]
        if len(options) > 1:
            raise InputError("give only one of them", field=" and ".join(options))
        if self.dask is not None:
            return dask_engine(self.dask)
        if self.slurm is not None:
            return slurm_engine(campaign.slurm, self.slurm)
        return pool_engine(self.workers)


def run_command(file: CampaignFile, selection: LedgerOptions, engines: EngineOptions, quiet: opt.Quiet = False) -> None:
    """Execute every run that is missing in the campaign's ledger.

    After any interruption, the same command resumes the campaign: each finished run is recorded once in the ledger.

    Examples
    --------
      oas bench run uni.toml
      oas bench run uni.toml --workers 8
      oas bench run uni.toml --dask tcp://10.0.0.5:8786
      oas bench run uni.toml --slurm 20
    """
    campaign, path = selection.campaign(file)
    engine = engines.engine(campaign)
    check_target(str(path), "--ledger")
    with Ledger(path, write=True) as ledger:
        orders = _planned(campaign, ledger, quiet)
        try:
            if engines.dask is None and engines.slurm is None:
                _compile(orders, ledger, quiet)
            with engine as ready, ProgressLine(quiet, describe) as progress:
                executed = drive(orders, ledger, ready, progress)
        except KeyboardInterrupt:
            done = len(ledger.keys().intersection(order.key for order in orders))
            runs = f"{done} of {show_count(len(orders), 'run')}"
            sys.stderr.write(f"{runs} are in {path}; the same command resumes from there\n")
            raise
        put(f"{show_count(executed, 'run')} executed, {len(orders) - executed} were in the ledger: {path}\n")


def status_command(file: CampaignFile, selection: LedgerOptions) -> None:
    """Show the number of finished, missing, stale and failed runs of each method.

    Stale runs are runs of the same instances and methods with another version of this package, another source of the
    method, or other limits. They stay in the ledger but are not used.

    Examples
    --------
      oas bench status uni.toml
    """
    with selection.opened(file) as (campaign, ledger, orders):
        lines = status(orders, ledger)
        rows = []
        for line in lines:
            counts = (line.planned, line.done, line.planned - line.done, line.stale, line.failed)
            rows.append((line.method, *map(str, counts), show_seconds(line.seconds)))
        headings = ("method", "runs", "done", "missing", "stale", "failed", "time")
        done = f"{sum(line.done for line in lines)} of {show_count(len(orders), 'run')} done"
        put_all(f"{campaign.name}: {done}", "", Table(headings, rows, side=("time", "stale", "runs")))


def report_command(
    file: CampaignFile,
    output: Annotated[str, opt.option(..., "FOLDER", "Output folder; created if missing.", "--output", "-o")],
    selection: LedgerOptions,
) -> None:
    """Write tables (Markdown, LaTeX, CSV), plots, and an HTML page that needs no network access.

    Examples
    --------
      oas bench report uni.toml --output report/
    """
    from oas.campaigns.report.writing import write

    with selection.opened(file) as (campaign, ledger, orders):
        for path in write(campaign, orders, ledger, Path(output)):
            put(f"{path}\n")


def verify_command(file: CampaignFile, selection: LedgerOptions) -> None:
    """Check every stored schedule and claim in exact arithmetic, without a solver. Exit code 3 if one fails.

    The campaign's instances are generated again and compared with those in the ledger. A table lists the lower bounds
    that certify optima, the size of the stored results, and the CPU time of the checks.

    Examples
    --------
      oas bench verify uni.toml
    """
    with selection.opened(file) as (campaign, ledger, _orders):
        checked = list(verify_ledger(ledger))
        sources = list(verify_sources(campaign.sources, ledger))
    source_faults = [(source, fault) for source, fault in sources if fault]
    for source, fault in source_faults:
        sys.stderr.write(f"{source.place}, {source.name}: {clean(fault, 'fault')}\n")
    for run in checked:
        if run.fault:
            record = run.record
            sys.stderr.write(f"{record.instance}, {record.method}, seed {record.seed}: {run.fault}\n")
    counts = counted(checked)
    counts = {"instances": len(sources)} | counts | {"faults": counts.get("faults", 0) + len(source_faults)}
    put("".join(f"{name:24} {count:>8}\n" for name, count in counts.items()))
    if rows := certificates(checked):
        headings = ("certified by", "optima", "bytes, median", "most", "check s, median", "most s")
        put_all("", Table(headings, rows))
    leave(violated=bool(counts["faults"]))


def export_command(
    file: CampaignFile,
    output: Annotated[str, opt.option(..., "PATH", "Output file: .csv or .parquet.", "--output", "-o")],
    selection: LedgerOptions,
) -> None:
    """Export every run as a row for other tools; the column "current" marks the runs of the current campaign file.

    Examples
    --------
      oas bench export uni.toml --output uni.csv
      oas bench export uni.toml --output uni.parquet
    """
    check_target(output, "--output", SUFFIXES)
    with selection.opened(file) as (_, ledger, orders):
        put(f"{show_count(export(ledger, {order.key for order in orders}, output), 'row')}: {output}\n")


def _planned(campaign: Campaign, ledger: Ledger, quiet: bool) -> list[Order]:
    def report(count: int, total: int) -> None:
        if not quiet and count and count % 500 == 0:
            sys.stderr.write(f"{count} of {show_count(total, 'instance')} generated\n")

    return plan(campaign, ledger, report)


def _compile(orders: Sequence[Order], ledger: Ledger, quiet: bool) -> None:
    """Compile the kernels of the missing runs and say so; otherwise the first runs would wait for it silently."""
    from oas.core.code_cache import code_folders, is_kept
    from oas.core.registry import problem_named
    from oas.solving.warm_up import warm_up

    recorded = ledger.keys()
    names = {order.problem for order in orders if order.key not in recorded}
    if names and code_folders() and is_kept(code_folders()[0]):
        with ProgressLine(quiet) as progress:
            warm_up(map(problem_named, sorted(names)), progress.compiling)


def describe(seen: Progress, seconds: float) -> str:
    """Return a line of progress."""
    parts = [f"{seconds:7.0f} s  {seen.done} of {show_count(seen.total, 'run')}"]
    if seen.left is not None and seen.done < seen.total:
        left = round(seen.left - (seconds - seen.seconds))
        parts.append(f"about {timedelta(seconds=left)} left" if left > 0 else "longer than estimated")
    if seen.last is not None:
        parts.append(f"{seen.last.method} on {seen.last.instance}: {seen.last.status.replace('_', ' ')}")
    return "  ".join(parts)


for _command in (run_command, status_command, report_command, verify_command, export_command):
    add_command(bench_app, _command.__name__.removesuffix("_command"), _command)
