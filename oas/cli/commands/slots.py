"""`oas slots`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from typer import Option

from oas.cli import options as opt
from oas.cli.output import attributes, ends_of, leave, save_picture
from oas.core.errors import InputError, naming
from oas.core.numbers import exact

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.studies.slot_sizes.points import SlotPoint
    from oas.studies.slot_sizes.study import SlotStudy


@dataclass(frozen=True)
class SlotOptions:
    """Which slot sizes are studied, and how."""

    percent: list[str] | None = opt.option(
        None, "PERCENT", "A slot size in % of the mean base time; repeatable. Otherwise 5 to 250 % in ten steps."
    )
    eta: list[str] | None = opt.option(None, "TIME", "A slot size in the instance's time unit; repeatable.")
    within: str = opt.option("5", "PERCENT", "Advise the largest slot size that costs at most so much.")
    time_limit: float = opt.option(60.0, "SECONDS", "Wall time for all slot sizes together.", callback=opt.finite)
    seed: opt.Seed = opt.SolveArguments.seed
    cache: str | None = opt.option(
        None, "FOLDER", "Keep finished slot sizes there, and take from there what is done. Made if missing."
    )

    def percents(self, mean_base_time: Fraction) -> list[Any]:
        """Return the slot sizes that are given, in percent of the mean base time."""
        with naming("--eta"):
            sizes = [100 * exact(time, "eta") / mean_base_time for time in self.eta or []]
        return [*(self.percent or []), *sizes]


def slots_command(
    file: opt.InstanceFile,
    asked: SlotOptions,
    plot: str | None = opt.picture("Also draw the study: a .png, .svg or .pdf file.", default=None),
    model_sizes: bool = Option(False, "--model-sizes", help="Also count variables and constraints of the MIP models."),
    *,
    into: opt.StudyOutput,
) -> None:
    """Show what the size of the time slots costs and saves: the optimum at each size, and in continuous time.

    A slotted schedule ends later than the continuous optimum for two reasons. The rounding loss is what the same
    schedule gains when it is run without the grid; the scheduling loss is what it is then still longer than the
    optimum, because it was decided on the grid. A range is given where an optimum is not proven. All losses are in
    percent of the continuous makespan.

    Each slot size may use an equal share of the time that is left; the coarsest comes first, η = 0 last. With --cache
    the same command goes on where it was broken off.

    Examples
    --------
      oas slots grid.json
      oas slots grid.json --percent 10 --percent 50 --within 2 --plot slots.png
      oas slots grid.json --time-limit 600 --cache slots/ --json > slots.json
    """
    instance: Any = opt.load_instance(file, None)
    from oas.problems.registry import COALLOCATION
    from oas.show.progress import ProgressLine
    from oas.studies.slot_sizes.study import DEFAULT_PERCENTS, slot_study

    if instance.problem is not COALLOCATION:
        raise InputError("only instances of co-allocation have time slots", field="problem", file=file)
    with naming("--within"):
        within = exact(asked.within, "within")
        if within < 0:
            raise InputError("must not be negative", value=asked.within)
    percents = asked.percents(instance.mean_base_time) or DEFAULT_PERCENTS
    with ProgressLine(into.quiet) as progress:
        study = slot_study(
            instance, percents, time_limit=asked.time_limit, seed=asked.seed, cache=asked.cache, on_progress=progress
        )
    for note in study.notes:
        sys.stderr.write(f"oas: {note}\n")
    document, frame = (partial(make, model_sizes=model_sizes) for make in (_document, study.to_frame))
    into.deliver(study, partial(document, within=within), frame, within=asked.within, model_sizes=model_sizes)
    if plot and any(point.slot for point in study.points):
        from oas import plots

        save_picture(plots.slot_size_figure(study.points, title=instance.name), plot)
    leave([point.result for point in study.points], interrupted=study.interrupted)


def _document(study: SlotStudy, within: Fraction, *, model_sizes: bool) -> dict[str, Any]:
    advice = None
    if study.reference is not None:
        both = {name: study.advice(within, executed=name == "executed") for name in ("slotted", "executed")}
        known = {name: attributes(one, "percent", "proven", "undecided") for name, one in both.items()}
        advice = {"within": within, **known}
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
    }


def _models_document(point: SlotPoint) -> dict[str, Any]:
    sizes = point.sizes
    named = (("start-indexed", sizes.start_indexed), ("literal", sizes.literal))
    models = {name: {"variables": size.variables, "constraints": size.constraints} for name, size in named}
    return {"models": models, "models_message": sizes.message}
