"""`oas bench`: campaigns."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from oas.cli import options as opt
from oas.cli.output import ExitCode, check_target, in_terminal, put, put_all
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
    from oas.campaigns.order import Order
    from oas.studies.claims.table import Checked, PaperClaim

EPILOG = """\b
Examples:
  oas bench run uni.toml
  oas bench status uni.toml
  oas bench report uni.toml --output report/"""

bench_app = command_group(EPILOG, help="Campaigns: instances x methods x limits, declared in a TOML file.")

CampaignFile = Annotated[str, typer.Argument(metavar="FILE", help="Campaign file (TOML).")]
LedgerFile = Annotated[
    str | None,
    typer.Option("--ledger", metavar="PATH", help="Ledger to use; NAME.ledger beside the campaign file if not given."),
]
Samples = Annotated[
    list[str] | None,
    typer.Option("--sample", metavar="NAME", help="Only instances of this sample, or pattern of samples; repeatable."),
]
Smoke = Annotated[
    bool,
    typer.Option(
        "--smoke", help="One instance of each sample, one second for each run, in a ledger of its own, to try it out."
    ),
]


def run_command(
    file: CampaignFile,
    ledger: LedgerFile = None,
    sample: Samples = None,
    smoke: Smoke = False,
    workers: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Processes on this machine; one for each core if not given.")
    ] = None,
    dask: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Use the Dask cluster whose scheduler listens there.")
    ] = None,
    slurm: Annotated[
        int | None, typer.Option(metavar="JOBS", min=1, help="Start so many SLURM jobs, as the file's [slurm] says.")
    ] = None,
    quiet: opt.Quiet = False,
) -> None:
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

    campaign = _campaign(file, sample, smoke)
    engine = _engine(campaign, workers, dask, slurm)
    path = _ledger_path(file, campaign, ledger)
    check_target(str(path), "--ledger")
    with Ledger(path, write=True) as held:
        orders = _planned(campaign, held, quiet)
        try:
            with engine as ready, ProgressLine(quiet, describe) as progress:
                made = drive(orders, held, ready, progress)
        except KeyboardInterrupt:
            done = len(held.keys().intersection(order.key for order in orders))
            sys.stderr.write(
                f"{done} of {show_count(len(orders), 'run')} are in {path}; the same command goes on from there\n"
            )
            raise
        put(f"{show_count(made, 'run')} made, {len(orders) - made} were there: {path}\n")


def status_command(file: CampaignFile, ledger: LedgerFile = None, sample: Samples = None, smoke: Smoke = False) -> None:
    """Show what is done, missing, stale and failed, for each method.

    Stale are runs of the same instances and methods by another version of this package, of a method's source, or under
    other limits: they stay in the ledger and are mixed into nothing.

    Examples
    --------
      oas bench status uni.toml
    """
    from oas.campaigns.status import status
    from oas.cli.tables.fitted_table import FittedTable

    with _open(file, ledger, sample, smoke) as (campaign, held, orders):
        lines = status(orders, held)
        table = FittedTable("method", side=("time", "stale", "asked"))
        table.add_figures("asked", "done", "missing", "stale", "failed", "time")
        for one in lines:
            counts = (one.asked, one.done, one.asked - one.done, one.stale, one.failed)
            table.add_row(one.method, *map(str, counts), show_seconds(one.seconds))
        put_all(
            f"{campaign.name}: {sum(one.done for one in lines)} of {show_count(len(orders), 'run')} done", "", table
        )


def report_command(
    file: CampaignFile,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FOLDER", help="Where to write; made if missing.")],
    ledger: LedgerFile = None,
    sample: Samples = None,
    smoke: Smoke = False,
) -> None:
    """Write tables (Markdown, LaTeX, CSV), plots, and a page that opens in any browser without a network.

    Examples
    --------
      oas bench report uni.toml --output report/
    """
    from oas.campaigns.report import write

    with _open(file, ledger, sample, smoke) as (campaign, held, orders):
        for path in write(campaign, orders, held, Path(output)):
            put(f"{path}\n")


def verify_command(file: CampaignFile, ledger: LedgerFile = None, sample: Samples = None, smoke: Smoke = False) -> None:
    """Re-check every stored schedule and claim in exact arithmetic, without a solver. Exit code 3 if one fails.

    The campaign's instances are made again, and compared with those in the ledger. A table shows by which bounds optima
    are certified, the size of the stored results, and the CPU time of the checks.

    Examples
    --------
      oas bench verify uni.toml
    """
    from oas.campaigns.verify import certificates, counted, verify_ledger, verify_sources
    from oas.cli.tables.fitted_table import FittedTable
    from oas.io.texts import clean

    with _open(file, ledger, sample, smoke) as (campaign, held, _orders):
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
        table = FittedTable("certified by")
        table.add_figures("optima", "bytes, median", "most", "check s, median", "most s")
        for row in rows:
            table.add_row(*row)
        put_all("", table)
    raise typer.Exit(ExitCode.VIOLATION if counts["faults"] else ExitCode.DONE)


def export_command(
    file: CampaignFile,
    output: Annotated[str, typer.Option("--output", "-o", metavar="PATH", help="A .csv or .parquet file.")],
    ledger: LedgerFile = None,
    sample: Samples = None,
    smoke: Smoke = False,
) -> None:
    """Write every run as a row for other tools; "current" tells those that the campaign asks for now.

    Examples
    --------
      oas bench export uni.toml --output uni.csv
      oas bench export uni.toml --output uni.parquet
    """
    from oas.campaigns.export import SUFFIXES, export

    check_target(output, "--output", SUFFIXES)
    with _open(file, ledger, sample, smoke) as (_, held, orders):
        put(f"{show_count(export(held, {order.key for order in orders}, output), 'row')}: {output}\n")


def fetch_command(
    file: CampaignFile,
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="FOLDER", help="Take the files from this folder instead of the network."),
    ] = None,
) -> None:
    """Bring the files of the campaign's public sets into the folder of their catalogue, checksums verified.

    Examples
    --------
      oas bench fetch sets.toml
      oas bench fetch sets.toml --from downloads/
    """
    from oas.campaigns.public_sets.catalogue import load_catalogue
    from oas.campaigns.public_sets.files import fetch

    if source is not None and not Path(source).is_dir():
        raise InputError("is no folder", field="--from", value=source)
    needed: dict[Path, dict[str, None]] = {}
    for one in _campaign(file).sources:
        if one.kind == "sets":
            _, (entry,) = load_catalogue(Path(one.data)).find(one.name)
            needed.setdefault(Path(one.data), {})[entry.file] = None
    for catalogue, names in needed.items():
        files = [load_catalogue(catalogue).files[name] for name in names]
        for line in fetch(catalogue, files, None if source is None else Path(source)):
            put(f"{line}\n")


def claims_command(
    only: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID", help="Claims of these ids or beginnings of ids; all if not given."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Find again what is cheap to find; exit code 3 if it differs.")
    ] = False,
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
    checked = claims.check(only or None, _told) if check else None
    _put_claims(chosen, checked)
    raise typer.Exit(ExitCode.DONE if all(one.agrees for one in checked or ()) else ExitCode.VIOLATION)


def _put_claims(chosen: Sequence[PaperClaim], checked: Sequence[Checked] | None) -> None:
    from oas.cli.tables.tables import claim_tables
    from oas.studies.claims.table import table

    if in_terminal():
        put_all(*claim_tables(chosen, checked))
    else:
        put(table(chosen, checked))


def _campaign(file: str, samples: Sequence[str] | None = None, small: bool = False) -> Campaign:
    from oas.campaigns.declaration import load_campaign
    from oas.campaigns.subsets import part, smoke

    campaign = load_campaign(file)
    campaign = part(campaign, samples) if samples else campaign
    return smoke(campaign) if small else campaign


def _ledger_path(file: str, campaign: Campaign, ledger: str | None) -> Path:
    return Path(ledger) if ledger else Path(file).parent / f"{campaign.name}.ledger"


def _engine(
    campaign: Campaign, workers: int | None, dask: str | None, slurm: int | None
) -> AbstractContextManager[Engine]:
    from oas.campaigns.engines import dask_engine, pool_engine, slurm_engine

    given = [
        name for name, value in (("--workers", workers), ("--dask", dask), ("--slurm", slurm)) if value is not None
    ]
    if len(given) > 1:
        raise InputError("one of them", field=" and ".join(given))
    if dask is not None:
        return dask_engine(dask)
    if slurm is not None:
        return slurm_engine(campaign.slurm, slurm)
    return pool_engine(workers)


def _planned(campaign: Campaign, ledger: Ledger, quiet: bool) -> list[Order]:
    from oas.campaigns.plan import plan

    def report(made: int, total: int) -> None:
        if not quiet and made and made % 500 == 0:
            sys.stderr.write(f"{made} of {show_count(total, 'instance')} made\n")

    return plan(campaign, ledger, report)


@contextmanager
def _open(
    file: str, ledger: str | None, samples: Sequence[str] | None, small: bool
) -> Iterator[tuple[Campaign, Ledger, list[Order]]]:
    """Campaign, ledger (to read) and the runs that are asked for now."""
    from oas.campaigns.ledger import Ledger

    campaign = _campaign(file, samples, small)
    with Ledger(_ledger_path(file, campaign, ledger)) as held:
        yield campaign, held, _planned(campaign, held, quiet=True)


def _told(claim: PaperClaim) -> None:
    sys.stderr.write(f"{claim.id}\n")


def describe(seen: Progress, seconds: float) -> str:
    """Return one line of progress."""
    parts = [f"{seconds:7.0f} s  {seen.done} of {show_count(seen.total, 'run')}"]
    if seen.left is not None and seen.done < seen.total:
        left = round(seen.left - (seconds - seen.seconds))
        parts.append(f"about {timedelta(seconds=left)} left" if left > 0 else "longer than estimated")
    if seen.last is not None:
        parts.append(f"{seen.last.method} on {seen.last.instance}: {seen.last.status.replace('_', ' ')}")
    return "  ".join(parts)


for _name, _command in (
    ("run", run_command),
    ("status", status_command),
    ("report", report_command),
    ("verify", verify_command),
    ("export", export_command),
    ("fetch", fetch_command),
    ("claims", claims_command),
):
    add_command(bench_app, _name, _command)
