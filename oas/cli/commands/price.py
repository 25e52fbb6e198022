"""`oas price`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from typer import Option

from oas.cli import options as opt
from oas.cli.output import attributes, ends_of, leave, save_picture
from oas.core.errors import InputError, naming

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas

    from oas.core.instances import Instance
    from oas.studies.cooperation import PricePoint
    from oas.studies.reservations.prices import ReservationPrices
    from oas.studies.saturation_price import SaturationPoint, SaturationPrice
    from oas.studies.study import Optimum


@dataclass(frozen=True)
class PriceOptions:
    """What is priced."""

    locality: list[str] | None = opt.option(None, "RATIO", "At least 1, or none; repeatable. Otherwise a usual sweep.")
    reservations: bool = Option(False, "--reservations", help="Show instead what each reservation of processors costs.")
    saturation: bool = Option(
        False, "--saturation", help="Of co-allocation: show what it costs to forbid saturated links."
    )
    thresholds: str | None = opt.option(
        None,
        "LIST",
        "With --saturation: thresholds of slowdown with commas between, none for none. Otherwise 1,3/4,1/2,1/4,none.",
    )
    sharing: Literal["paper", "max-min"] | None = Option(
        None, help="With --saturation: how saturated links are shared; otherwise as in the file."
    )

    def check(self, plot: str | None) -> None:
        """Refuse options that do not go together."""
        with_saturation = {"--thresholds": self.thresholds, "--sharing": self.sharing, "--plot": plot}
        without = {"--locality": self.locality, "--reservations": self.reservations}
        for name, given in (without if self.saturation else with_saturation).items():
            if given:
                reason = "cannot be given with --saturation" if self.saturation else "goes with --saturation alone"
                raise InputError(reason, field=name)


@dataclass(frozen=True)
class SolveOptions:
    """How the optima are found: arguments of each study."""

    solver: opt.Solver = opt.SolveArguments.solver
    time_limit: float | None = opt.option(
        None,
        "SECONDS",
        "Wall time for each solve: one without such a promise, then one for each locality. With"
        " --reservations or --saturation for all solves together.",
        callback=opt.finite,
    )
    threads: opt.Threads = opt.SolveArguments.threads
    seed: opt.Seed = opt.SolveArguments.seed

    def arguments(self) -> dict[str, Any]:
        """Return the options as the studies take them."""
        return {**vars(self), "threads": self.threads or None}


def price_command(
    file: opt.InstanceFile,
    asked: PriceOptions,
    solving: SolveOptions,
    plot: str | None = opt.picture(
        "With --saturation: also draw ratio and makespans over the thresholds, as .png, .svg or .pdf.", default=None
    ),
    *,
    into: opt.StudyOutput,
) -> None:
    """Show what a promise or a rule costs: the optimum at each locality, of each reservation, of each threshold.

    Without further options, the price of the promise that no organization loses by cooperating.

    At locality L each organization's jobs end within L times its local makespan. The price is the optimum divided by
    that without any such promise.

    With --reservations: the price of a reservation is the optimum with all reservations less that without this one. It
    is a range where an optimum is not proven in time. Ctrl-C keeps what is finished.

    With --saturation, for a file of co-allocation: the optimum where links must not be saturated, and where saturated
    links slow jobs down instead, at each threshold; a link is never asked for more than MBW / threshold. The cost of
    forbidding is the ratio of the two. The file's own policy does not count.

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
    if asked.saturation:
        _price_saturation(file, instance, asked, solving, plot, into)
    from oas.core.instances import check_problem
    from oas.problems.registry import MOSP
    from oas.show.progress import ProgressLine
    from oas.studies.cooperation import DEFAULT_LOCALITIES, price

    with naming(file):
        check_problem(instance, MOSP, "only organizations that share clusters have a price of cooperation")
    if asked.reservations:
        if asked.locality:
            raise InputError("cannot be given with --reservations; the file's locality holds", field="--locality")
        _price_reservations(file, instance, solving, into)
    chosen = [None if text == "none" else text for text in asked.locality or []] or DEFAULT_LOCALITIES
    with ProgressLine(into.quiet) as progress:
        points = price(instance, chosen, **solving.arguments(), on_progress=progress)
    into.deliver(points, lambda points: list(map(_point_document, points)))
    leave([point.result for point in points])


def _price_saturation(
    file: str, instance: Instance, asked: PriceOptions, solving: SolveOptions, plot: str | None, into: opt.StudyOutput
) -> NoReturn:
    from oas.show.progress import ProgressLine
    from oas.studies.saturation_price import DEFAULT_THRESHOLDS, price_of_saturation

    thresholds: Sequence[Any] = DEFAULT_THRESHOLDS
    if asked.thresholds is not None:  # each is checked where it is used
        names = [one.strip() for one in asked.thresholds.split(",")]
        thresholds = [None if one == "none" else one for one in names]
    options = opt.naming_options({"threshold": "--thresholds", "thresholds": "--thresholds"}, file)
    with options, ProgressLine(into.quiet, unlimited=solving.time_limit is None) as progress:
        study = price_of_saturation(
            instance, thresholds=thresholds, sharing=asked.sharing, **solving.arguments(), on_progress=progress
        )
    into.deliver(study, _saturation_document, partial(_saturation_frame, study))
    if plot and any(one.makespan is not None for one in study):
        save_picture(study.plot(), plot)
    leave(study.results, interrupted=study.interrupted)


def _price_reservations(file: str, instance: Instance, solving: SolveOptions, into: opt.StudyOutput) -> NoReturn:
    from oas.show.progress import ProgressLine
    from oas.studies.reservations.prices import price_reservations

    options = opt.naming_options({}, file)
    with options, ProgressLine(into.quiet, unlimited=solving.time_limit is None) as progress:
        study = price_reservations(instance, **solving.arguments(), on_progress=progress)
    into.deliver(study, _prices_document)
    leave(study.results, interrupted=study.interrupted)


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
                "organization": one.organization,
                **attributes(one.reservation, "start", "end", "processors"),
                "without": _proven_document(one.without),
                "price": ends_of(one.price),
            }
            for one in study
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
        "slowdown": [_saturation_point(one) for one in study],
    }


def _saturation_point(point: SaturationPoint) -> dict[str, Any]:
    return {
        **(attributes(point, "threshold") if point.saturation.slows else {}),
        **attributes(point, "status", "makespan", "lower_bound"),
        "proof": point.proof or None,
        "ratio": ends_of(point.ratio),
        "heuristic": point.heuristic or None,
        "heuristic_makespan": point.heuristic_makespan,
        "seconds": 0.0 if point.result is None else point.result.seconds.get("total", 0.0),
        "schedule": point.schedule,
    }


def _saturation_frame(study: SaturationPrice) -> pandas.DataFrame:
    """Return a row a policy, ``forbid`` first: exact numbers as text, None for none."""
    import pandas

    rows = [
        {
            "policy": one.saturation.policy,
            "threshold": None if one.threshold is None else str(one.threshold),
            "sharing": one.saturation.sharing,
            "status": one.status.value,
            "makespan": None if one.makespan is None else str(one.makespan),
            "lower_bound": str(one.lower_bound),
            "ratio_low": None if one.ratio is None else str(one.ratio.low),
            "ratio_high": None if one.ratio is None else str(one.ratio.high),
            "heuristic": one.heuristic,
            "heuristic_makespan": None if one.heuristic_makespan is None else str(one.heuristic_makespan),
            "proof": str(one.proof or ""),
        }
        for one in (study.forbid, *study.points)
    ]
    return pandas.DataFrame(rows, dtype=object)
