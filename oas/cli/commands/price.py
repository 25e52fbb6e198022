"""`oas price`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from typer import Option

from oas.cli import options as opt
from oas.cli.output import attributes, ends_of, leave, save_picture
from oas.coallocation.saturation_price import DEFAULT_THRESHOLDS, SaturationPoint, SaturationPrice, price_of_saturation
from oas.core.errors import InputError, naming
from oas.core.instances import check_problem
from oas.core.registry import MOSP
from oas.mosp.cooperation import DEFAULT_LOCALITIES, PricePoint, price
from oas.mosp.reservations.prices import ReservationPrices, price_reservations
from oas.show.progress import ProgressLine
from oas.solving.study import Optimum

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class PriceOptions:
    """The rule whose cost is computed."""

    locality: list[str] | None = opt.option(
        None, "RATIO", "Ratio of at least 1, or none; repeatable. Default: a sweep."
    )
    reservations: bool = Option(False, "--reservations", help="Show the cost of each reservation instead.")
    saturation: bool = Option(False, "--saturation", help="Co-allocation: show the cost of forbidding saturated links.")
    thresholds: str | None = opt.option(
        None,
        "LIST",
        "With --saturation: slowdown thresholds separated by commas, or none for no threshold. Default:"
        " 1,3/4,1/2,1/4,none.",
    )
    sharing: Literal["paper", "max-min"] | None = Option(
        None, help="With --saturation: how jobs share a saturated link. Default: as in the file."
    )

    def check(self, plot: str | None) -> None:
        with_saturation = {"--thresholds": self.thresholds, "--sharing": self.sharing, "--plot": plot}
        without = {"--locality": self.locality, "--reservations": self.reservations}
        for name, value in (without if self.saturation else with_saturation).items():
            if value:
                reason = "cannot be given with --saturation" if self.saturation else "is valid only with --saturation"
                raise InputError(reason, field=name)


@dataclass(frozen=True)
class SolveOptions:
    """Options of the solves: arguments of each study."""

    solver: opt.Solver = opt.SolveArguments.solver
    time_limit: float | None = opt.option(
        None,
        "SECONDS",
        "Wall-time limit for each solve (one per locality and one without); with --reservations or --saturation"
        " for all solves together. Default: no limit.",
        callback=opt.finite,
    )
    threads: opt.Threads = opt.SolveArguments.threads
    seed: opt.Seed = opt.SolveArguments.seed

    def arguments(self) -> dict[str, Any]:
        return {**vars(self), "threads": self.threads or None}


def price_command(
    file: opt.InstanceFile,
    asked: PriceOptions,
    solving: SolveOptions,
    plot: str | None = opt.picture("With --saturation: also draw ratios and makespans by threshold"),
    *,
    into: opt.StudyOutput,
) -> None:
    """Show the cost of a rule in makespan: locality, reservations, or unsaturated links.

    Without further options, the rule is locality for organizations that share clusters: at locality L, the jobs of each
    organization end within L times its local makespan. The price of L is the optimum at L divided by the optimum
    without locality.

    With --reservations, the price of a reservation is the optimum with all reservations minus the optimum without this
    one. It is a range if an optimum is not proven within the time limit. Ctrl-C keeps the finished solves.

    With --saturation, for an instance of co-allocation, the optimum with unsaturated links is compared with the optimum
    if saturated links slow jobs down, for each threshold: a link is never asked for more than MBW / threshold. The cost
    of forbidding saturation is the ratio of the two. The policy in the file is ignored.

    Examples
    --------
      oas price organizations.json
      oas price organizations.json --locality 1 --locality 6/5 --locality none --time-limit 60 --output prices.json
      oas price cluster.json --reservations --time-limit 120
      oas price saturated.json --saturation
      oas price saturated.json --saturation --thresholds 1/2,none --sharing max-min --plot price.png -o price.csv
    """
    asked.check(plot)
    instance = opt.load_instance(file, None)
    progress_line = ProgressLine(into.quiet, unlimited=solving.time_limit is None)
    if asked.saturation:
        thresholds: Sequence[Any] = DEFAULT_THRESHOLDS
        if asked.thresholds is not None:  # the study checks the values
            names = [name.strip() for name in asked.thresholds.split(",")]
            thresholds = [None if name == "none" else name for name in names]
        arguments = {**solving.arguments(), "thresholds": thresholds, "sharing": asked.sharing}
        named = opt.naming_options({"threshold": "--thresholds", "thresholds": "--thresholds"}, file)
        with named, progress_line as progress:
            saturation = price_of_saturation(instance, **arguments, on_progress=progress)
        into.deliver(saturation, _saturation_document, partial(_saturation_frame, saturation))
        if plot and any(point.makespan is not None for point in saturation):
            save_picture(saturation.plot(), plot)
        leave(saturation.results, interrupted=saturation.interrupted)
    with naming(file):
        check_problem(instance, MOSP, "only organizations that share clusters have a price of cooperation")
    if asked.reservations:
        if asked.locality:
            raise InputError("cannot be given with --reservations; the file's locality holds", field="--locality")
        with opt.naming_options({}, file), progress_line as progress:
            prices = price_reservations(instance, **solving.arguments(), on_progress=progress)
        into.deliver(prices, _prices_document)
        leave(prices.results, interrupted=prices.interrupted)
    chosen = [None if text == "none" else text for text in asked.locality or []] or DEFAULT_LOCALITIES
    with ProgressLine(into.quiet) as progress:
        points = price(instance, chosen, **solving.arguments(), on_progress=progress)
    into.deliver(points, lambda points: [_point_document(point) for point in points])
    leave([point.result for point in points])


def _point_document(point: PricePoint) -> dict[str, object]:
    return {
        "locality": point.locality,
        "status": point.result.status,
        "makespan": point.result.objective,
        "lower_bound": point.result.lower_bound,
        **attributes(point, "price", "losers"),
    }


def _prices_document(study: ReservationPrices) -> dict[str, object]:
    return {
        "instance": study.instance.digest,
        "interrupted": study.interrupted,
        "with_all": _proven_document(study.with_all),
        "without_any": {**_proven_document(study.without_any), "price": ends_of(study.price)},
        "reservations": [
            {
                "organization": price.organization,
                **attributes(price.reservation, "start", "end", "processors"),
                "without": _proven_document(price.without),
                "price": ends_of(price.price),
            }
            for price in study
        ],
    }


def _proven_document(optimum: Optimum) -> dict[str, object]:
    return attributes(optimum, "status", "makespan", "lower_bound", "proof")


def _saturation_document(study: SaturationPrice) -> dict[str, Any]:
    return {
        "instance": study.instance.digest,
        "sharing": study.points[0].saturation.sharing,
        "interrupted": study.interrupted,
        "forbid": _saturation_point(study.forbid),
        "slowdown": [_saturation_point(point) for point in study],
    }


def _saturation_point(point: SaturationPoint) -> dict[str, Any]:
    return {
        **(attributes(point, "threshold") if point.saturation.slows else {}),
        **attributes(point, "status", "makespan", "lower_bound"),
        "proof": point.proof or None,
        "ratio": ends_of(point.ratio),
        "heuristic": point.heuristic or None,
        "heuristic_makespan": point.heuristic_makespan,
        "seconds": 0.0 if point.result is None else point.result.solve_seconds or 0.0,
        "schedule": point.schedule,
    }


def _saturation_frame(study: SaturationPrice) -> pandas.DataFrame:
    """Return one row per policy, ``forbid`` first, with exact numbers as text."""
    import pandas

    rows = []
    for point in (study.forbid, *study.points):
        low, high = ends_of(point.ratio) or (None, None)
        times = (point.threshold, point.makespan, point.heuristic_makespan)
        threshold, makespan, heuristic_makespan = (None if time is None else str(time) for time in times)
        row = {
            "policy": point.saturation.policy,
            "threshold": threshold,
            "sharing": point.saturation.sharing,
            "status": point.status.value,
            "makespan": makespan,
            "lower_bound": str(point.lower_bound),
            "ratio_low": low,
            "ratio_high": high,
            "heuristic": point.heuristic,
            "heuristic_makespan": heuristic_makespan,
            "proof": str(point.proof or ""),
        }
        rows.append(row)
    return pandas.DataFrame(rows, dtype=object)
