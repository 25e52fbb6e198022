"""`oas slots`."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from typer import Option

from oas import plots
from oas.cli import options as opt
from oas.cli.output import attributes, ends_of, leave, save_picture
from oas.coallocation.slot_sizes.points import SlotPoint
from oas.coallocation.slot_sizes.study import DEFAULT_PERCENTS, SlotStudy, slot_study
from oas.core.errors import InputError, naming
from oas.core.numbers import exact
from oas.core.registry import COALLOCATION
from oas.show.progress import ProgressLine


@dataclass(frozen=True)
class SlotOptions:
    """Slot sizes and limits of the study."""

    percent: list[str] | None = opt.option(None, "PERCENT", "In % of the mean base time; repeatable. Default: 5 … 250.")
    eta: list[str] | None = opt.option(None, "TIME", "A slot size η in the instance's time unit; repeatable.")
    within: str = opt.option("5", "PERCENT", "Advise the largest slot size within this distance of the optimum.")
    time_limit: float = opt.option(60.0, "SECONDS", "Wall-time limit for all slot sizes together.", callback=opt.finite)
    seed: opt.Seed = opt.SolveArguments.seed
    model_times: list[str] | None = opt.option(
        None, "SOLVER", "Also measure this MIP solver on both models; repeatable.", callback=opt.installed_solver
    )
    model_limit: float = opt.option(60.0, "SECONDS", "Limit for each model of --model-times.", callback=opt.finite)
    cache: str | None = opt.option(None, "FOLDER", "Folder of finished slot sizes for later runs; created if missing.")

    def percents(self, mean_base_time: Fraction) -> list[Any]:
        """Return the given slot sizes in percent of the mean base time."""
        with naming("--eta"):
            sizes = [100 * exact(time, "eta") / mean_base_time for time in self.eta or []]
        return [*(self.percent or []), *sizes]


def slots_command(
    file: opt.InstanceFile,
    sizes: SlotOptions,
    plot: str | None = opt.picture("Also draw the study"),
    model_sizes: bool = Option(False, "--model-sizes", help="Also count variables and constraints of the MIP models."),
    *,
    into: opt.StudyOutput,
) -> None:
    """Compare slot sizes: the optimum at each size and in continuous time.

    A slotted schedule ends later than the continuous optimum for two reasons. The rounding loss is the time saved by
    executing the same schedule without the slot grid. The scheduling loss is the remaining distance to the optimum,
    because the schedule was chosen on the grid. A loss is shown as a range if an optimum is not proven. All losses are
    in percent of the continuous makespan.

    Each slot size may use an equal share of the remaining time; the coarsest is solved first, η = 0 last. With
    --cache, an interrupted command resumes where it stopped. --model-times measures the cost of small slots: the time
    of MIP solvers on the literal and the start-indexed model, from the best heuristic schedule.

    Examples
    --------
      oas slots grid.json
      oas slots grid.json --percent 10 --percent 50 --within 2 --plot slots.png
      oas slots grid.json --time-limit 600 --cache slots/ --json > slots.json
    """
    instance: Any = opt.load_instance(file, None)
    if instance.problem is not COALLOCATION:
        raise InputError("only instances of co-allocation have time slots", field="problem", file=file)
    with naming("--within"):
        within = exact(sizes.within, "within")
        if within < 0:
            raise InputError("must not be negative", value=sizes.within)
    percents = sizes.percents(instance.mean_base_time) or DEFAULT_PERCENTS
    with ProgressLine(into.quiet) as progress:
        study = slot_study(
            instance,
            percents,
            **attributes(sizes, "time_limit", "seed", "cache", "model_limit"),
            model_times=sizes.model_times or (),
            on_progress=progress,
        )
    for note in study.notes:
        sys.stderr.write(f"oas: {note}\n")
    document, frame = (partial(make, model_sizes=model_sizes) for make in (_document, study.to_frame))
    into.deliver(study, partial(document, within=within), frame, within=sizes.within, model_sizes=model_sizes)
    if plot and any(point.slot for point in study.points):
        save_picture(plots.slot_size_figure(study.points, title=instance.name), plot)
    leave([point.result for point in study.points], interrupted=study.interrupted)


def _document(study: SlotStudy, within: Fraction, *, model_sizes: bool) -> dict[str, Any]:
    advice: dict[str, Any] | None = None
    if study.reference is not None:
        advice = {"within": within}
        for name in ("slotted", "executed"):
            advised = study.advice(within, executed=name == "executed")
            advice[name] = attributes(advised, "percent", "proven", "undecided")
    return {
        "instance": study.instance.with_slot(0).digest,
        "interrupted": study.interrupted,
        "advice": advice,
        "points": [_point_document(point) | (_models_document(point) if model_sizes else {}) for point in study.points],
    }


def _point_document(point: SlotPoint) -> dict[str, Any]:
    loss = point.loss
    losses = None
    if loss is not None:
        ranges = {name: ends_of(getattr(loss, name)) for name in ("scheduling", "total", "of_the_size")}
        losses = {"rounding": loss.rounding, **ranges}
    return {
        **attributes(point, "percent", "slot", "slots", "makespan", "lower_bound"),
        "bound_from_percent": point.bound_from,
        **attributes(point, "status", "executed", "compaction", "executed_compaction"),
        "loss": losses,
        **attributes(point, "seconds", "cached", "schedule", "result"),
        **({"model_times": [asdict(run) for run in point.model_times]} if point.model_times else {}),
    }


def _models_document(point: SlotPoint) -> dict[str, Any]:
    sizes = point.sizes
    models = {"start-indexed": sizes.start_indexed, "literal": sizes.literal}
    counts = {name: attributes(size, "variables", "constraints") for name, size in models.items()}
    return {"models": counts, "models_message": sizes.message}
