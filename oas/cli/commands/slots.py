"""`oas slots`."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from oas.cli import options as opt
from oas.cli.output import Delivery, ExitCode, exit_code, put_all, put_json, uninterrupted, write_copy
from oas.cli.solve_arguments import SolveArguments
from oas.core.errors import InputError, naming

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.studies.slot_sizes.points import Advice, Interval, SlotPoint
    from oas.studies.slot_sizes.study import SlotStudy


def slots_command(
    file: opt.InstanceFile,
    percent: Annotated[
        list[str] | None,
        typer.Option(
            "--percent",
            metavar="PERCENT",
            help="A slot size in % of the mean base time; repeatable. Otherwise 5 to 250 % in ten steps.",
        ),
    ] = None,
    eta: Annotated[
        list[str] | None,
        typer.Option("--eta", metavar="TIME", help="A slot size in the instance's time unit; repeatable."),
    ] = None,
    within: Annotated[
        str, typer.Option(metavar="PERCENT", help="Advise the largest slot size that costs at most so much.")
    ] = "5",
    time_limit: Annotated[
        float, typer.Option(metavar="SECONDS", callback=opt.finite, help="Wall time for all slot sizes together.")
    ] = 60.0,
    seed: opt.Seed = SolveArguments.seed,
    cache: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER", help="Keep finished slot sizes there, and take from there what is done. Made if missing."
        ),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(
            "--plot",
            metavar="PICTURE",
            callback=opt.usable_picture,
            help="Also draw the study: a .png, .svg or .pdf file.",
        ),
    ] = None,
    model_sizes: Annotated[
        bool, typer.Option("--model-sizes", help="Also count variables and constraints of the MIP models.")
    ] = False,
    output: opt.Copy = None,
    as_json: opt.AsJson = False,
    quiet: opt.Quiet = False,
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
    instance = opt.load_instance(file, None)
    from oas.core.numbers import exact
    from oas.problems.coallocation.problem import COALLOCATION
    from oas.show.progress import ProgressLine
    from oas.studies.slot_sizes.study import DEFAULT_PERCENTS, slot_study

    if instance.problem is not COALLOCATION:
        raise InputError("only instances of co-allocation have time slots", field="problem", file=file)
    slotted: Any = instance
    if exact_within(within) < 0:
        raise InputError("must not be negative", field="--within", value=within)
    percents: list[Any] = list(percent or [])
    with naming("--eta"):
        percents += [100 * exact(time, "eta") / slotted.mean_base_time for time in eta or []]
    with ProgressLine(quiet) as progress:
        study = slot_study(
            slotted, percents or DEFAULT_PERCENTS, time_limit=time_limit, seed=seed, cache=cache, on_progress=progress
        )
    with uninterrupted() as delivery:
        _report(study, within, delivery, as_json=as_json, output=output, model_sizes=model_sizes)
    if plot and any(point.slot for point in study.points):
        from oas import plots

        plots.save_figure(plots.slot_size_figure(study.points, title=instance.name), plot)
        sys.stderr.write(f"picture written to {plot}\n")
    codes = [exit_code(point.result) for point in study.points]
    raise typer.Exit(ExitCode.INTERRUPTED if study.interrupted else max(codes, default=ExitCode.DONE))


def exact_within(text: str) -> Fraction:
    """Read the value of --within."""
    from oas.core.numbers import exact

    with naming("--within"):
        return exact(text, "within")


def _report(
    study: SlotStudy, within: str, delivery: Delivery, *, as_json: bool, output: str | None, model_sizes: bool
) -> None:
    from oas.cli.tables.slot_tables import cost_table, model_remarks, model_table, remarks, use_table
    from oas.cli.tables.tables import title_of

    for note in study.notes:
        sys.stderr.write(f"oas: {note}\n")
    document = partial(_document, study, within, model_sizes=model_sizes)
    frame = partial(study.to_frame, model_sizes=model_sizes)
    delivery.save(partial(write_copy, document=document, frame=frame), output)
    if as_json:
        put_json(document())
    else:
        title = title_of(study.instance).rpartition(", η")[0]
        models, notes = ((model_table(study), ""), model_remarks(study)) if model_sizes else ((), [])
        put_all(title, cost_table(study), "", use_table(study), "", *models, *remarks(study, within), *notes)


def _document(study: SlotStudy, within: str, *, model_sizes: bool) -> dict[str, Any]:
    advice = None
    if study.reference is not None:
        both = {name: study.advice(within, executed=name == "executed") for name in ("slotted", "executed")}
        advice = {"within": str(exact_within(within)), **{name: _advice_document(one) for name, one in both.items()}}
    return {
        "instance": study.instance.with_slot(0).digest,
        "interrupted": study.interrupted,
        "advice": advice,
        "points": [_point_document(point) | (_models_document(point) if model_sizes else {}) for point in study.points],
    }


def _advice_document(advice: Advice) -> dict[str, Any]:
    return {
        "percent": None if advice.percent is None else str(advice.percent),
        "proven": advice.proven,
        "undecided": [str(one) for one in advice.undecided],
    }


def _point_document(point: SlotPoint) -> dict[str, Any]:
    import json

    from oas.io import dumps

    loss = point.loss
    return {
        "percent": str(point.percent),
        "slot": str(point.slot),
        "slots": point.slots,
        "makespan": str(point.makespan),
        "lower_bound": str(point.lower_bound),
        "bound_from_percent": str(point.bound_from),
        "status": point.status.value,
        "executed": str(point.executed),
        "compaction": str(point.compaction),
        "executed_compaction": str(point.executed_compaction),
        "loss": None
        if loss is None
        else {
            "rounding": str(loss.rounding),
            "scheduling": _ends(loss.scheduling),
            "total": _ends(loss.total),
            "of_the_size": _ends(loss.of_the_size),
        },
        "seconds": point.seconds,
        "cached": point.cached,
        "schedule": json.loads(dumps(point.schedule)),
        "result": json.loads(dumps(point.result)),
    }


def _models_document(point: SlotPoint) -> dict[str, Any]:
    sizes = point.sizes
    named = (("start-indexed", sizes.start_indexed), ("literal", sizes.literal))
    models = {name: {"variables": size.variables, "constraints": size.constraints} for name, size in named}
    return {"models": models, "models_message": sizes.message}


def _ends(interval: Interval) -> list[str]:
    return [str(interval.low), str(interval.high)]
