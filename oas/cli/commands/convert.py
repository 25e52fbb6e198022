"""`oas convert`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Argument, Option

from oas.cli import options as opt
from oas.cli.output import put_instance
from oas.core.errors import InputError
from oas.core.formats import show_time

if TYPE_CHECKING:
    from oas.io.logs.slices import Processors, Slice
    from oas.problems.fair.instance import FairInstance
    from oas.problems.mosp.instance import MospInstance


@dataclass(frozen=True)
class SliceOptions:
    """The slice of a log, and how it is read."""

    organizations: int = opt.option(5, "N", "How many organizations.")
    by: Literal["user", "group", "queue", "partition"] = Option(
        "user", help="Field of the log that tells owners apart."
    )
    first: int = opt.option(0, "N", "Number of the job at which the slice begins.")
    count: int = opt.option(100, "N", "How many jobs.")
    processors: str = opt.option(
        "split",
        "N|split|whole",
        "Processors of each cluster: N, those of the logged system shared out, or as many as it has.",
    )
    strict: opt.Strict = False
    releases: bool = Option(False, "--releases", help="Keep submission times as releases.")
    seed: int = opt.option(0, "N", "Deals owners to organizations.")

    def window(self) -> Slice:
        """Return the slice."""
        from oas.io.logs.slices import Slice

        asked = {name: value for name, value in vars(self).items() if name not in ("strict", "releases")}
        return Slice(**{**asked, "processors": _processors(self.processors), "keep_releases": self.releases})


def convert_command(
    context: typer.Context,
    log: Annotated[
        str,
        Argument(
            metavar="LOG",
            help="Job log, Standard Workload Format, plain or .gz; with --to fair an instance of organizations.",
        ),
    ],
    to: Literal["fair"] | None = opt.option(
        None, "fair", "Convert an instance of organizations (MOSP) to fair sharing, for oas fair.", "--to"
    ),
    horizon: int | None = opt.option(
        None, "TIME", "With --to fair: t_end; default: when all organizations would be done alone.", min=1
    ),
    *,
    asked: SliceOptions,
    recipe: str | None = opt.option(
        None, "PATH", "Also write the recipe, which may be published.", callback=opt.usable()
    ),
    output: str = opt.option("-", "PATH", "Where to write the instance; - is stdout.", "--output", "-o"),
) -> None:
    """Cut a slice of a job log into an instance of several organizations, or convert such a file to fair sharing.

    The processors of the logged system are shared out among the organizations; a job wider than the smallest share is
    left out. With --processors whole each organization has as many as the logged system: none is left out, but there is
    so much room that jobs hardly compete, and most methods find the optimum.

    Provenance (log, checksum, slice, what was left out and why) is kept in the file. Logs carry their owners' terms:
    publish the recipe, from which anyone with the log makes the same instance, not the data.

    With --to fair the file is an instance of organizations (MOSP), and the result one of fair sharing with the same
    organizations, processors and jobs. Locality is left out; reservations are refused.

    Examples
    --------
      oas convert shared.json --to fair --horizon 168 -o fair.json
      oas convert KTH-SP2.swf.gz --organizations 4 --count 40 -o kth.json
      oas convert KTH-SP2.swf.gz --organizations 4 --processors whole -o roomy.json
      oas convert KTH-SP2.swf.gz --first 2000 --releases --recipe kth.recipe.json -o kth.json
    """
    if to is not None:
        _check_only(context, ("log", "to", "horizon", "output"))
        put_instance(_fair(log, horizon), output)
        return
    if horizon is not None:
        raise InputError("goes with --to fair", field="--horizon", value=horizon)
    put_instance(_slice(log, asked, recipe), output)


def _slice(log: str, asked: SliceOptions, recipe: str | None) -> MospInstance:
    """Return the slice of a log, say what it is, and write its recipe."""
    from oas.io.files import write_bytes
    from oas.io.logs.log import read
    from oas.io.logs.slices import cut, recipe_of, write_recipe

    try:
        lines = read(log, format="swf", strict=asked.strict).swf
    except InputError as error:
        if error.field.startswith("line 1, "):
            error.reason = f"is no log in SWF, the format that this command reads without --to fair: {error.reason}"
        raise
    window = asked.window()
    instance = cut(lines, window)
    for reason, number in instance.provenance.items():
        sys.stderr.write(f"{reason}: {number}\n")
    sys.stderr.write(f"processors: {_sizes(instance)}\n")
    if recipe:
        write_bytes(recipe, write_recipe(recipe_of(lines, window)))
    return instance


def _check_only(context: typer.Context, names: tuple[str, ...]) -> None:
    """Refuse other options than these that are given."""
    for name in context.params:
        source = context.get_parameter_source(name)
        if name not in names and source is not None and source.name == "COMMANDLINE":
            raise InputError("is for job logs", field=f"--{name}")


def _fair(file: str, horizon: int | None) -> FairInstance:
    """Return the instance of fair sharing that an instance of organizations makes."""
    from oas.core.instances import check_problem
    from oas.problems.fair.instance import fair_instance
    from oas.problems.registry import MOSP

    found: Any = opt.load_instance(file, None)
    with opt.naming_options({}, file):
        check_problem(found, MOSP, "--to fair is for organizations that share clusters")
        alone = found.with_locality(1).local_makespans  # an organization alone has no local schedule without locality
        fair = fair_instance(found.organizations, alone, horizon, found)
    if horizon is None:
        said = "when all organizations would be done alone; --horizon gives another"
        sys.stderr.write(f"horizon: {fair.horizon}, {said}\n")
    if found.locality is not None:
        sys.stderr.write("locality: left out, fair sharing has no such constraint\n")
    return fair


def _processors(asked: str) -> Processors:
    if asked in ("split", "whole"):
        return "split" if asked == "split" else None
    if not (asked.isascii() and asked.isdecimal() and len(asked) < 10):
        raise typer.BadParameter("must be a number, split or whole", param_hint="--processors")
    return int(asked)


def _sizes(instance: MospInstance) -> str:
    """Say how many processors each organization has, and whether its jobs compete for them."""
    sizes = [one.processors for one in instance.organizations]
    least, most = min(sizes), max(sizes)
    each = f"{least:,}" if least == most else f"{least:,} or {most:,}"
    last = max(job.release + job.time for job in instance.jobs)
    filled = sum((job.time * job.processors for job in instance.jobs), Fraction(0)) / sum(sizes)
    remark = ""
    if last >= filled:
        remark = (
            f"; all jobs together fill them for {show_time(filled)}, and one alone ends no earlier than"
            f" {show_time(last)}: it decides the makespan, and methods will hardly differ; --count N takes more"
        )
    return f"{each} of each of {len(sizes)} organizations{remark}"
