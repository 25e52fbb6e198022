"""`oas convert`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal

import typer
from typer import Argument, Option

from oas.cli import options as opt
from oas.cli.output import put_instance, put_remarks
from oas.core.errors import InputError
from oas.core.formats import show_time
from oas.core.instances import check_problem
from oas.core.registry import MOSP
from oas.fair.instance import FairInstance, fair_instance
from oas.io.files import write_bytes
from oas.logs.log import read
from oas.logs.slices import Processors, Slice, cut, recipe_of, write_recipe
from oas.mosp.instance import MospInstance


@dataclass(frozen=True)
class SliceOptions:
    """The slice of a log."""

    organizations: int = opt.option(5, "N", "Number of organizations.")
    by: Literal["user", "group", "queue", "partition"] = Option("user", help="Log field with the owner of a job.")
    first: int = opt.option(0, "N", "Index of the first job of the slice.")
    count: int = opt.option(100, "N", "Number of jobs in the slice.")
    processors: str = opt.option(
        "split",
        "N|split|whole",
        "Processors of each cluster: a number, an equal share of the logged system (split), or its full size (whole).",
    )
    releases: bool = Option(False, "--releases", help="Keep submission times as release dates.")
    seed: int = opt.option(0, "N", "Seed of the random assignment of owners to organizations.")

    def window(self) -> Slice:
        fields = {name: value for name, value in vars(self).items() if name != "releases"}
        return Slice(**{**fields, "processors": _processors(self.processors), "keep_releases": self.releases})


def convert_command(
    context: typer.Context,
    log: Annotated[
        str,
        Argument(
            metavar="LOG",
            help="Job log in Standard Workload Format, plain or .gz; with --to fair an instance of organizations.",
        ),
    ],
    to: Literal["fair"] | None = opt.option(
        None, "fair", "Convert an instance of organizations to fair sharing.", "--to"
    ),
    horizon: int | None = opt.option(
        None,
        "TIME",
        "With --to fair: the horizon t_end. Default: the time at which every organization would finish alone.",
        min=1,
    ),
    *,
    sliced: SliceOptions,
    strict: opt.Strict = False,
    skip_invalid: opt.SkipInvalid = False,
    recipe: str | None = opt.option(
        None, "PATH", "Also write the recipe, which has no job data.", callback=opt.usable()
    ),
    output: str = opt.option("-", "PATH", "File of the instance; - for stdout.", "--output", "-o"),
) -> None:
    """Convert a slice of a job log into an instance of organizations, or such an instance to fair sharing.

    By default, the processors of the logged system are divided equally among the organizations, and jobs wider than
    the smallest share are left out. With --processors whole, each organization gets as many processors as the logged
    system: no job is left out, but jobs hardly compete, and most methods find the optimum.

    The file records its provenance: log, checksum, slice, and the number of jobs left out for each reason. The terms of
    use of a log may forbid publishing its data. Publish the recipe instead: anyone with the log can rebuild the same
    instance from it.

    With --to fair, an instance of organizations (MOSP) becomes one of fair sharing with the same organizations,
    processors and jobs. Locality is dropped; an instance with reservations is refused.

    Examples
    --------
      oas convert shared.json --to fair --horizon 168 -o fair.json
      oas convert KTH-SP2.swf.gz --organizations 4 --count 40 -o kth.json
      oas convert KTH-SP2.swf.gz --organizations 4 --processors whole -o roomy.json
      oas convert KTH-SP2.swf.gz --first 2000 --releases --recipe kth.recipe.json -o kth.json
    """
    if to is not None:
        for name in context.params:
            source = context.get_parameter_source(name)
            if name not in ("log", "to", "horizon", "output") and source is not None and source.name == "COMMANDLINE":
                raise InputError("is for job logs", field=f"--{name}")
        put_instance(_fair(log, horizon), output)
        return
    if horizon is not None:
        raise InputError("is valid only with --to fair", field="--horizon", value=horizon)
    put_instance(_slice(log, sliced.window(), recipe, strict=strict, skip_invalid=skip_invalid), output)


def _slice(log: str, window: Slice, recipe: str | None, *, strict: bool, skip_invalid: bool) -> MospInstance:
    """Return a slice of a log as an instance, describe it on stderr, and write its recipe if a path is given."""
    try:
        lines = read(log, format="swf", strict=strict, skip_invalid=skip_invalid).swf
    except InputError as error:
        if error.field.startswith("line 1, "):
            error.reason = f"is not a log in SWF, the only format accepted without --to fair: {error.reason}"
        raise
    put_remarks(lines.invalid.remarks)
    if recipe and lines.invalid.count:
        raise InputError("a recipe is for logs without invalid lines", field="--recipe", value=recipe)
    instance = cut(lines, window)
    for reason, number in instance.provenance.items():
        sys.stderr.write(f"{reason}: {number}\n")
    sys.stderr.write(f"processors: {_sizes(instance)}\n")
    if recipe:
        write_bytes(recipe, write_recipe(recipe_of(lines, window)))
    return instance


def _fair(file: str, horizon: int | None) -> FairInstance:
    shared: Any = opt.load_instance(file, None)
    with opt.naming_options({}, file):
        check_problem(shared, MOSP, "--to fair is for organizations that share clusters")
        alone = shared.with_locality(1).local_makespans  # without locality a single organization has no local schedule
        fair = fair_instance(shared.organizations, alone, horizon, shared)
    if horizon is None:
        reason = "when every organization would finish alone; change it with --horizon"
        sys.stderr.write(f"horizon: {fair.horizon}, {reason}\n")
    if shared.locality is not None:
        sys.stderr.write("locality: left out, fair sharing has no such constraint\n")
    return fair


def _processors(text: str) -> Processors:
    if text in ("split", "whole"):
        return "split" if text == "split" else None
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise typer.BadParameter("must be a number, split or whole", param_hint="--processors")
    return int(text)


def _sizes(instance: MospInstance) -> str:
    """Describe the processors per organization, with a warning if the jobs hardly compete for them."""
    sizes = [owner.processors for owner in instance.organizations]
    smallest, largest = min(sizes), max(sizes)
    each = f"{smallest:,}" if smallest == largest else f"{smallest:,} or {largest:,}"
    longest = max(job.release + job.time for job in instance.jobs)
    average = sum((job.time * job.processors for job in instance.jobs), Fraction(0)) / sum(sizes)
    remark = ""
    if longest >= average:
        remark = (
            f"; all jobs together occupy them for {show_time(average)}, but one job cannot end before"
            f" {show_time(longest)}: it decides the makespan, and methods will hardly differ; use more jobs (--count)"
        )
    return f"{each} for each of {len(sizes)} organizations{remark}"
