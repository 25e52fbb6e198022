"""`oas fair`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

from typer import Argument, Option

from oas.cli import options as opt
from oas.cli.fair_output import fair_document, fair_page
from oas.cli.output import deliver, leave, put_remarks, save_picture, uninterrupted
from oas.core.errors import InputError, TooLargeError, naming
from oas.core.instances import check_problem
from oas.core.numbers import parse_fraction
from oas.core.registry import FAIR
from oas.core.schedule import Schedule
from oas.fair.fairness_tables import fairness_parts, ledger_picture
from oas.fair.instance import FairInstance
from oas.fair.studies.fairness import SAMPLES, Fairness, fairness
from oas.fair.studies.price import FairnessPrice, price_of_fairness
from oas.fair.studies.running import FairProgress
from oas.fair.tables import price_parts
from oas.fair.ticks import SharedLog
from oas.io import save
from oas.io.files import csv_bytes, write_bytes
from oas.logs.membership import Membership
from oas.logs.sharing import Sharing, share
from oas.logs.streams import read_stream
from oas.show.progress import ProgressLine
from oas.show.tables import Part


@dataclass(frozen=True)
class PolicyOptions:
    """Policies to compare."""

    policy: list[str] | None = opt.option(
        None,
        "NAME",
        "DIRECTCONTR, ROUNDROBIN, FCFS, FAIRSHARE(604800), …, or package.module:policy; repeatable. Default: all.",
    )
    samples: list[int] | None = opt.option(
        None, "N", "Number of orderings that RAND samples; repeatable; 0: no RAND. Default: 15 and 75.", min=0
    )
    seeds: int = opt.option(10, "N", "Number of runs of a randomized policy, with seeds 0, 1, ….", min=1)
    no_reference: bool = Option(False, "--no-reference", help="Skip REF and measure distances from the first policy.")
    verify: bool = Option(False, "--verify", help="Check the starts, values and margins of REF by a second algorithm.")


@dataclass(frozen=True)
class SharingOptions:
    """Division of a log among organizations: fields of `oas.logs.sharing.Sharing`."""

    organizations: str | None = opt.option(
        None,
        "FILE|K",
        "Log: CSV or JSON file with the organization of each user, group or account (columns user, group, account,"
        " organization, and share or processors); or K to assign the users at random to K organizations.",
        "--organizations",
        "-k",
    )
    machines: str | None = opt.option(
        None,
        "zipf|uniform|N,N,…",
        "Log: distribution of processors over organizations, or the number of each. Default: as in FILE, else zipf.",
    )
    processors: int | None = opt.option(None, "N", "Log: total processors. Default: as in the log.", min=1)
    seed: int | None = opt.option(None, "N", "Log: seed for assigning users at random. Default: 0.", min=0)
    wide: Literal["copies", "keep"] | None = Option(
        None, help="Log: convert a job of q processors to q copies of 1 processor, or keep it whole. Default: copies."
    )
    since: str | None = opt.option(None, "TIME", "Log: start of the window, in seconds of the log.", "--from")
    length: str | None = opt.option(None, "SECONDS", "Log: length of the window of submissions. Default: all.")
    busy: str | None = opt.option(None, "LOAD", "Log: use the first window of at least this load, such as 0.9.")

    def given(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True)
class FairOutput:
    """Time limit and output options."""

    time_limit: float = opt.option(
        600.0,
        "SECONDS",
        "Wall-time limit of all runs; REF is skipped if it would exceed the limit.",
        callback=opt.finite,
    )
    ledger: str | None = opt.picture("Also draw the amount owed to each organization over time, φ − ψ")
    page: str | None = opt.option(
        None, "PATH", "Also write the tables and the ledger as one HTML page.", callback=opt.usable((".html", ".htm"))
    )
    price: bool = Option(
        False,
        "--price",
        help="Small instances: also compute the price of fairness; each optimum gets a tenth of --time-limit.",
    )
    schedule: str | None = opt.option(
        None,
        "PATH",
        "Instances: also write the schedule of REF with a certificate that oas verify checks.",
        callback=opt.usable_json,
    )
    output: str | None = opt.output("Also write a CSV file with one row per run and organization.", opt.usable_csv)
    as_json: opt.AsJson = False
    quiet: opt.Quiet = False


def fair_command(
    file: Annotated[
        str,
        Argument(metavar="FILE|LOG", help="Instance of fair sharing (JSON) or job log, also compressed; - for stdin."),
    ],
    asked: PolicyOptions,
    horizon: str | None = opt.option(
        None,
        "TIME",
        "Horizon t_end; for a log in seconds from the window's start. Default: as in the file, or the window's end.",
    ),
    *,
    sharing: SharingOptions,
    reading: opt.StreamOptions,
    into: FairOutput,
) -> None:
    """Compare policies by fairness: the utility and the contribution of each organization.

    Organizations pool their processors and submit jobs over time. REF is the exact fair schedule by contribution
    (Shapley values of the utility ψ; Skowron, Rzadca, SPAA 2013). The unfairness of a policy is its distance from REF,
    Δψ / p_tot: the mean time by which a unit of work is unjustly delayed or advanced. RAND(N) estimates contributions
    from N random orderings; all other policies are on-line and do not know running times.

    For a log, --organizations names the organization of each user, group or account, or asks for a random assignment.
    Unless the file states processors or shares, processors are divided by Zipf's law. A job of q processors becomes q
    jobs of one processor. REF evaluates all 2^k coalitions, so it is limited to 20 organizations
    and skipped if it would exceed the time limit; policies are then compared with each other.

    Every schedule is verified. The exit code is 3 if one breaks a rule or a user's policy fails.

    Examples
    --------
      oas fair fair.json
      oas fair fair.json --policy ROUNDROBIN --policy my_policies:patient --ledger ledger.png
      oas fair LPC-EGEE.swf.gz --organizations 5 --machines zipf --length 500000 --busy 0.9 --page fair.html
      oas fair LPC-EGEE.swf.gz --organizations 4 --machines 8,4,4,1 --samples 15 --samples 75 -o fair.csv
      oas fair sacct.txt --organizations departments.csv --processors 512
    """
    _check(file, horizon, asked, reading, into)
    source = (_instance if _is_instance(file, reading) else _log)(file, horizon, sharing, reading)
    named = opt.naming_options({"heuristic": "--policy", "policy": "--policy"})
    with ProgressLine(into.quiet, describe=_describe) as progress, named:
        comparison = fairness(
            source,
            asked.policy,
            reference=not asked.no_reference,
            verify=asked.verify,
            samples=SAMPLES if asked.samples is None else [count for count in asked.samples if count],
            seeds=asked.seeds,
            time_limit=into.time_limit,
            on_progress=progress,
        )
    priced = _priced(comparison, into) if into.price and not comparison.interrupted else None
    deliver(
        partial(fair_document, comparison, priced),
        partial(_parts, comparison, priced),
        into.as_json,
        (partial(_write_schedule, comparison), into.schedule),
        (lambda path: write_bytes(path, csv_bytes(comparison.to_frame())), into.output),
    )
    if into.ledger:
        save_picture(ledger_picture(comparison), into.ledger)
    with uninterrupted() as delivery:
        if delivery.save(lambda path: write_bytes(path, fair_page(comparison).encode()), into.page):
            sys.stderr.write(f"page written to {into.page}\n")
    leave(interrupted=comparison.interrupted, violated=comparison.violated)


def _check(file: str, horizon: str | None, asked: PolicyOptions, reading: opt.StreamOptions, into: FairOutput) -> None:
    """Refuse options that contradict each other or the type of the file."""
    options = {"price": into.price, "ledger": into.ledger, "verify": asked.verify, "schedule": into.schedule}
    for option, value in options.items():
        if value and asked.no_reference:
            raise InputError("requires REF; remove --no-reference", field=f"--{option}")
    if not _is_instance(file, reading):
        if into.price:
            raise InputError("is for instances: optima for a whole log are out of reach", field="--price")
        if into.schedule:
            raise InputError("is for instances: for a log there is no file to verify it with", field="--schedule")
    if into.schedule and horizon is not None:
        raise InputError("cannot be combined with --horizon, or oas verify would reject it", field="--schedule")


def _is_instance(file: str, reading: opt.StreamOptions) -> bool:
    """Return whether the file is read as an instance: a JSON file, or stdin without a log format."""
    return reading.format is None and (file == "-" or file.endswith((".json", ".json.gz")))


def _instance(file: str, horizon: str | None, sharing: SharingOptions, reading: opt.StreamOptions) -> FairInstance:
    of_log = {"unit": reading.unit, "timezone": reading.timezone, "skip-invalid": reading.skip_invalid or None}
    for name, value in {**sharing.given(), **{name: value for name, value in of_log.items() if value}}.items():
        option = f"--{name.replace('since', 'from')}"
        raise InputError("is for logs: an instance has its own organizations", field=option, value=value)
    instance = opt.load_instance(file, None)
    try:
        check_problem(instance, FAIR, "oas fair is for fair sharing")
    except InputError as error:
        error.file = file
        if instance.problem.name == "mosp":
            error.reason += f"; convert the file: oas convert {shlex.quote(file)} --to fair -o fair.json"
        raise
    if horizon is not None:
        with naming("--horizon"):
            instance = instance.with_horizon(parse_fraction(horizon))  # type: ignore[attr-defined]
    try:
        instance.scaled()
    except TooLargeError as error:
        raise InputError(str(error), file=file) from error
    return instance  # type: ignore[return-value]


def _log(file: str, horizon: str | None, sharing: SharingOptions, reading: opt.StreamOptions) -> SharedLog:
    given = sharing.given()
    if sharing.machines is not None:
        given["machines"] = _machines(sharing.machines)
    if sharing.organizations is None:
        reason = (
            "must be given for a log: a file with the organization of each user, group or account, or a number of"
            " organizations to which users are assigned at random"
        )
        raise InputError(reason, field="--organizations")
    given["organizations"] = organizations = opt.organizations(sharing.organizations)
    fields = organizations.fields if isinstance(organizations, Membership) else reading.owner
    stream = read_stream(file, **{**vars(reading), "owner": fields})
    put_remarks(stream.remarks)
    try:
        return share(stream, Sharing(**given, horizon=horizon))
    except InputError as error:
        if error.field.partition("[")[0] in ("horizon", "from", *vars(sharing)):
            error.field = f"--{error.field}"
        error.file = error.file or file
        raise


def _machines(text: str) -> str | list[int]:
    """Parse --machines: the name of a distribution, or the processors of each organization."""
    if not any(character.isdigit() for character in text):
        return text
    try:
        return [int(number) for number in text.split(",")]
    except ValueError:
        reason = "must be zipf, uniform, or whole numbers separated by commas"
        raise InputError(reason, field="--machines", value=text) from None


def _describe(report: FairProgress, seconds: float) -> str:
    share = "" if report.share is None else f"  {report.share:.0%} of the horizon"
    return f"{seconds:7.1f} s  {report.stage}{share}"


def _priced(fairness: Fairness, into: FairOutput) -> FairnessPrice:
    instance, schedule = _fair_schedule(fairness, "--price")
    with ProgressLine(
        into.quiet, describe=lambda seen, seconds: f"{seconds:7.1f} s  {seen.part} {seen.stage}"
    ) as progress:
        return price_of_fairness(instance, time_limit=into.time_limit / 10, schedule=schedule, on_progress=progress)


def _fair_schedule(fairness: Fairness, option: str) -> tuple[FairInstance, Schedule]:
    """Return the instance and REF's schedule; raise `InputError` for `option` if REF did not run."""
    reference, instance = fairness.reference, fairness.case.instance
    if reference is None or instance is None:
        raise InputError(f"requires REF, which did not run: {fairness.refused}", field=option)
    return instance, reference.run.schedule(instance)


def _write_schedule(fairness: Fairness, path: str) -> None:
    instance, schedule = _fair_schedule(fairness, "--schedule")
    save(schedule, path, instance=instance)


def _parts(fairness: Fairness, priced: FairnessPrice | None) -> Iterator[Part]:
    yield from fairness_parts(fairness)
    if priced is not None:
        _, *parts = price_parts(priced)
        yield from ("", *parts)
