"""`oas bench`: campaigns."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from oas.cli import options as opt
from oas.cli.output import check_target, in_terminal, leave, put, put_all
from oas.cli.plain_help import add_command, command_group
from oas.core.errors import InputError
from oas.core.formats import show_count, show_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager

    from oas.campaigns.declaration import Campaign
    from oas.campaigns.driver import Progress
    from oas.campaigns.engines import Engine
    from oas.campaigns.ledger import Ledger
    from oas.campaigns.plan import Order
    from oas.show.tables import Table
    from oas.studies.claims.table import Checked, PaperClaim

EPILOG = """\b
Examples:
  oas bench run uni.toml
  oas bench status uni.toml
  oas bench report uni.toml --output report/"""

bench_app = command_group(EPILOG, help="Campaigns: instances x methods x limits, declared in a TOML file.")

CampaignFile = Annotated[str, Argument(metavar="FILE", help="Campaign file (TOML).")]


@dataclass(frozen=True)
class LedgerOptions:
    """Which ledger is used, and which part of the campaign."""

    ledger: str | None = opt.option(None, "PATH", "Ledger to use; NAME.ledger beside the campaign file if not given.")
    sample: list[str] | None = opt.option(
        None, "NAME", "Only instances of this sample, or pattern of samples; repeatable."
    )
    smoke: bool = Option(
        False,
        "--smoke",
        help="One instance of each sample, one second for each run, in a ledger of its own, to try it out.",
    )

    def campaign(self, file: str) -> tuple[Campaign, Path]:
        """Return the campaign, or what is asked for of it, and the path of its ledger."""
        from oas.campaigns.declaration import load_campaign
        from oas.campaigns.plan import part, smoke

        campaign = load_campaign(file)
        campaign = part(campaign, self.sample) if self.sample else campaign
        campaign = smoke(campaign) if self.smoke else campaign
        return campaign, Path(self.ledger) if self.ledger else Path(file).parent / f"{campaign.name}.ledger"

    @contextmanager
    def opened(self, file: str) -> Iterator[tuple[Campaign, Ledger, list[Order]]]:
        """Campaign, ledger (to read) and the runs that are asked for now."""
        from oas.campaigns.ledger import Ledger

        campaign, path = self.campaign(file)
        with Ledger(path) as held:
            yield campaign, held, _planned(campaign, held, quiet=True)


@dataclass(frozen=True)
class EngineOptions:
    """What makes the runs."""

    workers: int | None = opt.option(None, "N", "Processes on this machine; one for each core if not given.", min=1)
    dask: str | None = opt.option(None, "ADDRESS", "Use the Dask cluster whose scheduler listens there.")
    slurm: int | None = opt.option(None, "JOBS", "Start so many SLURM jobs, as the file's [slurm] says.", min=1)

    def engine(self, campaign: Campaign) -> AbstractContextManager[Engine]:
        """Return the engine that the options name."""
        from oas.campaigns.engines import dask_engine, pool_engine, slurm_engine

        given = [f"--{name}" for name, value in vars(self).items() if value is not None]
        if len(given) > 1:
            raise InputError("one of them", field=" and ".join(given))
        if self.dask is not None:
            return dask_engine(self.dask)
        if self.slurm is not None:
            return slurm_engine(campaign.slurm, self.slurm)
        return pool_engine(self.workers)


def run_command(file: CampaignFile, asked: LedgerOptions, engines: EngineOptions, quiet: opt.Quiet = False) -> None:
    """Make every run that the campaign's ledger lacks.

    Interrupted in whatever way, the same command goes on where it was: a finished run is in the ledger, and there once.

    Examples
    --------
      oas bench run uni.toml
      oas bench run uni.toml --workers 8
      oas bench run uni.toml --dask tcp://10.0.0.5:8786
      oas bench run uni.toml --slurm 20
    """
    from oas.campaigns.driver import drive
    from oas.campaigns.ledger import Ledger
    from oas.show.progress import ProgressLine

    campaign, path = asked.campaign(file)
    engine = engines.engine(campaign)
    check_target(str(path), "--ledger")
    with Ledger(path, write=True) as held:
        orders = _planned(campaign, held, quiet)
        try:
            with engine as ready, ProgressLine(quiet, describe) as progress:
                made = drive(orders, held, ready, progress)
        except KeyboardInterrupt:
            done = len(held.keys().intersection(order.key for order in orders))
            runs = f"{done} of {show_count(len(orders), 'run')}"
            sys.stderr.write(f"{runs} are in {path}; the same command goes on from there\n")
            raise
        put(f"{show_count(made, 'run')} made, {len(orders) - made} were there: {path}\n")


def status_command(file: CampaignFile, asked: LedgerOptions) -> None:
    """Show what is done, missing, stale and failed, for each method.

    Stale are runs of the same instances and methods by another version of this package, of a method's source, or under
    other limits: they stay in the ledger and are mixed into nothing.

    Examples
    --------
      oas bench status uni.toml
    """
    from oas.campaigns.status import status
    from oas.show.tables import Table

    with asked.opened(file) as (campaign, held, orders):
        lines = status(orders, held)
        rows = []
        for one in lines:
            counts = (one.asked, one.done, one.asked - one.done, one.stale, one.failed)
            rows.append((one.method, *map(str, counts), show_seconds(one.seconds)))
        headings = ("method", "asked", "done", "missing", "stale", "failed", "time")
        done = f"{sum(one.done for one in lines)} of {show_count(len(orders), 'run')} done"
        put_all(f"{campaign.name}: {done}", "", Table(headings, rows, side=("time", "stale", "asked")))


def report_command(
    file: CampaignFile,
    output: Annotated[str, opt.option(..., "FOLDER", "Where to write; made if missing.", "--output", "-o")],
    asked: LedgerOptions,
) -> None:
    """Write tables (Markdown, LaTeX, CSV), plots, and a page that opens in any browser without a network.

    Examples
    --------
      oas bench report uni.toml --output report/
    """
    from oas.campaigns.report.writing import write

    with asked.opened(file) as (campaign, held, orders):
        for path in write(campaign, orders, held, Path(output)):
            put(f"{path}\n")


def verify_command(file: CampaignFile, asked: LedgerOptions) -> None:
    """Re-check every stored schedule and claim in exact arithmetic, without a solver. Exit code 3 if one fails.

    The campaign's instances are made again, and compared with those in the ledger. A table shows by which bounds optima
    are certified, the size of the stored results, and the CPU time of the checks.

    Examples
    --------
      oas bench verify uni.toml
    """
    from oas.campaigns.status import certificates, counted, verify_ledger, verify_sources
    from oas.io.files import clean
    from oas.show.tables import Table

    with asked.opened(file) as (campaign, held, _orders):
        checked = list(verify_ledger(held))
        sources = list(verify_sources(campaign.sources, held))
    others = [(source, fault) for source, fault in sources if fault]
    for source, fault in others:
        sys.stderr.write(f"{source.place}, {source.name}: {clean(fault, 'fault')}\n")
    for one in checked:
        if one.fault:
            record = one.record
            sys.stderr.write(f"{record.instance}, {record.method}, seed {record.seed}: {one.fault}\n")
    counts = counted(checked)
    counts = {"instances": len(sources)} | counts | {"faults": counts.get("faults", 0) + len(others)}
    put("".join(f"{name:24} {count:>8}\n" for name, count in counts.items()))
    if rows := certificates(checked):
        headings = ("certified by", "optima", "bytes, median", "most", "check s, median", "most s")
        put_all("", Table(headings, rows))
    leave(violated=bool(counts["faults"]))


def export_command(
    file: CampaignFile,
    output: Annotated[str, opt.option(..., "PATH", "A .csv or .parquet file.", "--output", "-o")],
    asked: LedgerOptions,
) -> None:
    """Write every run as a row for other tools; "current" tells those that the campaign asks for now.

    Examples
    --------
      oas bench export uni.toml --output uni.csv
      oas bench export uni.toml --output uni.parquet
    """
    from oas.campaigns.status import SUFFIXES, export

    check_target(output, "--output", SUFFIXES)
    with asked.opened(file) as (_, held, orders):
        put(f"{show_count(export(held, {order.key for order in orders}, output), 'row')}: {output}\n")


def fetch_command(
    file: CampaignFile,
    source: str | None = opt.option(
        None, "FOLDER", "Take the files from this folder instead of the network.", "--from"
    ),
) -> None:
    """Bring the files of the campaign's public sets into the folder of their catalogue, checksums verified.

    Examples
    --------
      oas bench fetch sets.toml
      oas bench fetch sets.toml --from downloads/
    """
    from oas.campaigns.declaration import load_campaign
    from oas.campaigns.public_sets.catalogue import load_catalogue
    from oas.campaigns.public_sets.files import fetch

    if source is not None and not Path(source).is_dir():
        raise InputError("is no folder", field="--from", value=source)
    needed: dict[Path, dict[str, None]] = {}
    for one in load_campaign(file).sources:
        if one.kind == "sets":
            _, (entry,) = load_catalogue(Path(one.data)).find(one.name)
            needed.setdefault(Path(one.data), {})[entry.file] = None
    for catalogue, names in needed.items():
        files = [load_catalogue(catalogue).files[name] for name in names]
        for line in fetch(catalogue, files, None if source is None else Path(source)):
            put(f"{line}\n")


def claims_command(
    only: list[str] | None = Argument(
        None, metavar="ID", help="Claims of these ids or beginnings of ids; all if not given."
    ),
    check: bool = Option(False, "--check", help="Find again what is cheap to find; exit code 3 if it differs."),
) -> None:
    """Show what the papers state, what was printed, what is found, and the verdict.

    In a terminal as tables, otherwise in Markdown.

    Examples
    --------
      oas bench claims
      oas bench claims mocca-7
      oas bench claims molba --check
    """
    from oas.studies.claims import table as claims

    chosen = claims.chosen(only or None)
    checked = claims.check(only or None, lambda claim: print(claim.id, file=sys.stderr)) if check else None
    if in_terminal():
        put_all(*claim_tables(chosen, checked))
    else:
        put(claims.table(chosen, checked))
    leave(violated=not all(one.agrees for one in checked or ()))


def claim_tables(claims: Sequence[PaperClaim], checked: Sequence[Checked] | None = None) -> list[Table | str]:
    """Return the paper's name and a table for each paper; parameters as `oas.studies.claims.table.table`."""
    from oas.show.tables import Table
    from oas.studies.claims.table import TITLES, rows_by_paper

    titles = ("id", *TITLES, *([] if checked is None else ["now"]))
    side = ("remark", "place", "printed", "now", "found", "statement")
    shown: list[Table | str] = []
    for paper, rows in rows_by_paper(claims, checked).items():
        cells = [(claim.id, *own, *now) for claim, own, now in rows]
        shown += [*([""] if shown else []), f"{paper} paper", Table(titles, cells, side, texts=titles[1:])]
    return shown


def _planned(campaign: Campaign, ledger: Ledger, quiet: bool) -> list[Order]:
    from oas.campaigns.plan import plan

    def report(made: int, total: int) -> None:
        if not quiet and made and made % 500 == 0:
            sys.stderr.write(f"{made} of {show_count(total, 'instance')} made\n")

    return plan(campaign, ledger, report)


def describe(seen: Progress, seconds: float) -> str:
    """Return one line of progress."""
    parts = [f"{seconds:7.0f} s  {seen.done} of {show_count(seen.total, 'run')}"]
    if seen.left is not None and seen.done < seen.total:
        left = round(seen.left - (seconds - seen.seconds))
        parts.append(f"about {timedelta(seconds=left)} left" if left > 0 else "longer than estimated")
    if seen.last is not None:
        parts.append(f"{seen.last.method} on {seen.last.instance}: {seen.last.status.replace('_', ' ')}")
    return "  ".join(parts)


for _command in (
    run_command,
    status_command,
    report_command,
    verify_command,
    export_command,
    fetch_command,
    claims_command,
):
    add_command(bench_app, _command.__name__.removesuffix("_command"), _command)
