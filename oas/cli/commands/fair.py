"""`oas fair`."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, Option

from oas.cli import options as opt
from oas.cli.output import deliver, leave, save_picture, uninterrupted
from oas.core.errors import InputError, TooLargeError, naming

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oas.core.schedule import Schedule
    from oas.io.logs.sharing import SharedLog
    from oas.problems.fair.instance import FairInstance
    from oas.show.tables import Part
    from oas.studies.fair.fairness import Fairness
    from oas.studies.fair.price import FairnessPrice
    from oas.studies.fair.running import FairProgress


@dataclass(frozen=True)
class PolicyOptions:
    """Which policies are compared, with what."""

    policy: list[str] | None = opt.option(
        None,
        "NAME",
        "DIRECTCONTR, ROUNDROBIN, FCFS, FAIRSHARE(604800), …, or package.module:policy; repeatable; else all.",
    )
    samples: list[int] | None = opt.option(
        None, "N", "Orderings that RAND draws: 15 and 75 if not given; repeatable; 0: no RAND.", min=0
    )
    seeds: int = opt.option(10, "N", "Runs of what draws lots, with seeds 0, 1, …: for the intervals.", min=1)
    no_reference: bool = Option(False, "--no-reference", help="Without REF: distances are then from the first policy.")
    verify: bool = Option(False, "--verify", help="Have a second algorithm check REF's run: starts, all v, margins.")


@dataclass(frozen=True)
class SharingOptions:
    """How a log is shared out among organizations: fields of `oas.io.logs.sharing.Sharing`."""

    organizations: int | None = opt.option(None, "K", "Log: how many; 5 if not given.", "--organizations", "-k", min=1)
    machines: str | None = opt.option(
        None, "zipf|uniform|N,N,…", "Log: how processors are split, or those of each. Else zipf."
    )
    processors: int | None = opt.option(None, "N", "Log: to be split; otherwise what the log says, if it does.", min=1)
    seed: int | None = opt.option(None, "N", "Log: for the dealing of users to organizations; else 0.", min=0)
    wide: Literal["copies", "keep"] | None = Option(
        None, help="Log: jobs of q > 1 processors as q copies of 1, or whole where they fit. Else copies."
    )
    since: str | None = opt.option(None, "TIME", "Log: begin of the window, in its own seconds.", "--from")
    length: str | None = opt.option(None, "SECONDS", "Log: of the window: jobs submitted in it; else all.")
    busy: str | None = opt.option(
        None, "LOAD", "Log: the first window of this length and at least this load, such as 0.9."
    )

    def given(self) -> dict[str, Any]:
        """Return the options that are given."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True)
class ReadingOptions:
    """How a log is read: arguments of `oas.io.logs.streams.read_stream`."""

    format: opt.LogFormat = None
    unit: opt.LogUnit = None
    owner: opt.LogOwner = "user"
    skip_wider: bool = Option(
        False, "--skip-wider", help="Log: leave out and count jobs wider than the machine; else refuse."
    )
    strict: opt.Strict = False


@dataclass(frozen=True)
class FairOutput:
    """How long it may take, and what is shown and written."""

    time_limit: float = opt.option(
        600.0, "SECONDS", "For all; where REF would take longer it is refused.", callback=opt.finite
    )
    ledger: str | None = opt.picture(
        "Also draw what each organization is owed over time, φ − ψ: a .png, .svg or .pdf file.", default=None
    )
    page: str | None = opt.option(
        None, "PATH", "Also write tables and ledger as one HTML page.", callback=opt.usable((".html", ".htm"))
    )
    price: bool = Option(
        False,
        "--price",
        help="Small instances: also how much more any schedule could give; each optimum a tenth of --time-limit.",
    )
    schedule: str | None = opt.option(
        None,
        "PATH",
        "Instances: also write REF's schedule with a certificate of its being REF's, which oas verify checks.",
        callback=opt.usable_json,
    )
    output: str | None = opt.output("Also write a row a run and organization, CSV.", opt.usable_csv, default=None)
    as_json: opt.AsJson = False
    quiet: opt.Quiet = False


def fair_command(
    file: Annotated[
        str,
        Argument(
            metavar="FILE|LOG", help="An instance of fair sharing (JSON), or a job log; plain or .gz; - for stdin."
        ),
    ],
    asked: PolicyOptions,
    horizon: str | None = opt.option(
        None, "TIME", "t_end: instead of the file's; of a log in seconds from the window's begin."
    ),
    *,
    sharing: SharingOptions,
    reading: ReadingOptions,
    into: FairOutput,
) -> None:
    """Show how fair policies are: what each organization gets, beside what it contributes.

    Organizations pool their processors and present jobs over time. REF is the exact fair schedule by contributions
    (Shapley values of the utility ψ; Skowron, Rzadca, SPAA 2013). Its distance from a policy, Δψ / p_tot, is how much
    time a unit of work is unjustly delayed or preferred on average. RAND(N) estimates contributions by N orderings; all
    other policies are on line and know no running time.

    Of a log the users are dealt to organizations by lot, processors are split by Zipf's law, and a job of several
    processors becomes as many copies of one. REF looks at all 2^k coalitions: it takes 20 organizations at most, and is
    refused where it would take longer than the time limit; policies are then compared among themselves.

    Every schedule is verified. The exit code is 3 if one breaks a rule, or a policy of one's own fails.

    Examples
    --------
      oas fair fair.json
      oas fair fair.json --policy ROUNDROBIN --policy my_policies:patient --ledger ledger.png
      oas fair LPC-EGEE.swf.gz --organizations 5 --machines zipf --length 500000 --busy 0.9 --page fair.html
      oas fair LPC-EGEE.swf.gz --machines 8,4,4,1 --samples 15 --samples 75 -o fair.csv
    """
    from oas.cli.fair_output import fair_document
    from oas.show.progress import ProgressLine
    from oas.studies.fair.fairness import SAMPLES, fairness

    _check(file, horizon, asked, reading, into)
    source = (_instance if _is_instance(file, reading) else _log)(file, horizon, sharing, reading)
    named = opt.naming_options({"heuristic": "--policy", "policy": "--policy"})
    with ProgressLine(into.quiet, describe=_describe) as progress, named:
        found = fairness(
            source,
            asked.policy,
            reference=not asked.no_reference,
            verify=asked.verify,
            samples=SAMPLES if asked.samples is None else [one for one in asked.samples if one],
            seeds=asked.seeds,
            time_limit=into.time_limit,
            on_progress=progress,
        )
    priced = _priced(found, into) if into.price and not found.interrupted else None
    written = (partial(_write_schedule, found), into.schedule), (partial(_write_rows, found), into.output)
    deliver(partial(fair_document, found, priced), partial(_shown, found, priced), into.as_json, *written)
    _draw(found, into)
    leave(interrupted=found.interrupted, violated=found.violated)


def _check(file: str, horizon: str | None, asked: PolicyOptions, reading: ReadingOptions, into: FairOutput) -> None:
    """Refuse options that do not go together, or not with this file."""
    of_reference = {"price": into.price, "ledger": into.ledger, "verify": asked.verify, "schedule": into.schedule}
    for option, wanted in of_reference.items():
        if wanted and asked.no_reference:
            raise InputError("there is none without REF", field=f"--{option}")
    if not _is_instance(file, reading):
        if into.price:
            raise InputError("is for instances: optima of a log's size are out of reach", field="--price")
        if into.schedule:
            raise InputError("is for instances: of a log there is no file to verify it with", field="--schedule")
    if into.schedule and horizon is not None:
        raise InputError("goes with the horizon in the file alone, so that it can be verified", field="--schedule")


def _is_instance(file: str, reading: ReadingOptions) -> bool:
    """Whether a file is read as an instance: by its name, or standard input where no format of logs is given."""
    return reading.format is None and (file == "-" or file.endswith((".json", ".json.gz")))


def _option(name: str) -> str:
    """Return the option of a field of `Sharing`."""
    return f"--{name.replace('since', 'from')}"


def _instance(file: str, horizon: str | None, sharing: SharingOptions, reading: ReadingOptions) -> FairInstance:
    from oas.core.instances import check_problem
    from oas.core.numbers import parse_fraction
    from oas.problems.registry import FAIR

    for name, value in {**sharing.given(), **({"unit": reading.unit} if reading.unit else {})}.items():
        raise InputError("is for logs: an instance has its own organizations", field=_option(name), value=value)
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


def _log(file: str, horizon: str | None, sharing: SharingOptions, reading: ReadingOptions) -> SharedLog:
    from oas.io.logs.sharing import Sharing, share
    from oas.io.logs.streams import read_stream

    stream = read_stream(file, **vars(reading))
    given = sharing.given()
    if sharing.machines is not None:
        given["machines"] = _machines(sharing.machines)
    try:
        return share(stream, Sharing(**given, horizon=horizon))
    except InputError as error:
        if error.field.partition("[")[0] in ("horizon", "from", *vars(sharing)):
            error.field = f"--{error.field}"
        error.file = file
        raise


def _machines(text: str) -> str | list[int]:
    """Return how processors are split, or those of each organization."""
    if not any(sign.isdigit() for sign in text):
        return text
    try:
        return [int(one) for one in text.split(",")]
    except ValueError:
        reason = "must be zipf, uniform, or whole numbers with commas between"
        raise InputError(reason, field="--machines", value=text) from None


def _describe(seen: FairProgress, seconds: float) -> str:
    share = "" if seen.share is None else f"  {seen.share:.0%} of the horizon"
    return f"{seconds:7.1f} s  {seen.stage}{share}"


def _priced(fairness: Fairness, into: FairOutput) -> FairnessPrice:
    """Return the price of REF's schedule."""
    from oas.show.progress import ProgressLine
    from oas.studies.fair.price import price_of_fairness

    instance, schedule = _fair_schedule(fairness, "--price")
    with ProgressLine(
        into.quiet, describe=lambda seen, seconds: f"{seconds:7.1f} s  {seen.part} {seen.stage}"
    ) as progress:
        return price_of_fairness(instance, time_limit=into.time_limit / 10, schedule=schedule, on_progress=progress)


def _fair_schedule(fairness: Fairness, option: str) -> tuple[FairInstance, Schedule]:
    """Return the instance and REF's schedule of it, for an option that cannot do without."""
    found, instance = fairness.reference, fairness.case.instance
    if found is None or instance is None:
        raise InputError(f"there is none without REF, which did not run: {fairness.refused}", field=option)
    return instance, found.run.schedule(instance)


def _write_schedule(fairness: Fairness, path: str) -> None:
    from oas.io import save

    instance, schedule = _fair_schedule(fairness, "--schedule")
    save(schedule, path, instance=instance)


def _shown(fairness: Fairness, priced: FairnessPrice | None) -> Iterator[Part]:
    from oas.show.fair_instances import price_parts
    from oas.show.fairness import fairness_parts

    yield from fairness_parts(fairness)
    if priced is not None:
        _, *parts = price_parts(priced)
        yield from ("", *parts)


def _write_rows(fairness: Fairness, path: str) -> None:
    from oas.io.files import csv_bytes, write_bytes

    write_bytes(path, csv_bytes(fairness.to_frame()))


def _draw(fairness: Fairness, into: FairOutput) -> None:
    from oas.cli.fair_output import fair_page
    from oas.io.files import write_bytes
    from oas.show.fairness import ledger_picture

    if into.ledger:
        save_picture(ledger_picture(fairness), into.ledger)
    with uninterrupted() as delivery:
        if delivery.save(lambda path: write_bytes(path, fair_page(fairness).encode()), into.page):
            sys.stderr.write(f"page written to {into.page}\n")
