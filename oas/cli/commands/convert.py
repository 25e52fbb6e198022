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
from oas.logs.logged import JobLog, Workload
from oas.logs.slices import Processors, Slice, cut, recipe_of, write_recipe
from oas.logs.swf import SwfLog
from oas.mosp.instance import MospInstance


@dataclass(frozen=True)
class SliceOptions:
    """The slice of a log."""

    organizations: str | None = opt.option(
        None,
        "FILE|N",
        "CSV or JSON file with the organization of each user, group or account (columns user, group, account,"
        " organization, and share or processors); or N to assign the users at random to N organizations.",
    )
    by: Literal["user", "group", "account", "queue", "partition"] = Option(
        "user", help="Log field with the owner of a job, for a random assignment."
    )
    first: int = opt.option(0, "N", "Index of the first job of the slice.")
    count: int = opt.option(100, "N", "Number of jobs in the slice.")
    processors: str = opt.option(
        "split",
        "N|split|whole",
        "Processors of each cluster: a number, an equal share of the logged system (split), or its full size (whole)."
        " If FILE states shares: the total number to divide.",
    )
    releases: bool = Option(False, "--releases", help="Keep submission times as release dates.")
    seed: int = opt.option(0, "N", "Seed of the random assignment of owners to organizations.")

    def window(self) -> Slice:
        fields = {name: value for name, value in vars(self).items() if name != "releases"}
        if self.organizations is None:
            reason = (
                "must be given: a file with the organization of each user, group or account, or a number of"
                " organizations to which users are assigned at random"
            )
            raise InputError(reason, field="--organizations")
        fields["organizations"] = opt.organizations(self.organizations)
        return Slice(**{**fields, "processors": _processors(self.processors), "keep_releases": self.releases})


def convert_command(
    context: typer.Context,
    log: Annotated[
        str,
        Argument(
            metavar="LOG",
            help="Job log, plain or compressed (.gz, .bz2, .xz); with --to fair an instance of organizations.",
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
    reading: opt.WorkloadReading,
    recipe: str | None = opt.option(
        None, "PATH", "SWF: also write the recipe, which has no job data.", callback=opt.usable()
    ),
    output: str = opt.option("-", "PATH", "File of the instance; - for stdout.", "--output", "-o"),
) -> None:
    """Convert a slice of a job log into an instance of organizations, or such an instance to fair sharing.

    Accepted logs are SWF, Batsim's …_jobs.csv and workloads (JSON), and the output of sacct --parsable2. In the file of
    --organizations, the first row that matches a job decides; * matches any text. A user without a row is an error.

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
      oas convert KTH-SP2.swf.gz --organizations 5 --first 2000 --releases --recipe kth.recipe.json -o kth.json
      oas convert sacct.txt --organizations departments.csv --processors 512 -o departments.json
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
    options = {"processors": "--processors", "organizations": "--organizations", "count": "--count"}
    found = read(log, **vars(reading))
    put_remarks(found.remarks)
    if recipe and found.format == "swf" and found.swf.invalid.count:
        raise InputError("a recipe is for logs without invalid lines", field="--recipe", value=recipe)
    with opt.naming_options(options):
        window = sliced.window()
    with opt.naming_options(options, log):
        instance = _slice(found.source, window, recipe)
    put_instance(instance, output)


def _slice(log: SwfLog | JobLog | Workload, window: Slice, recipe: str | None) -> MospInstance:
    """Return a slice of a log as an instance, describe it on stderr, and write its recipe if a path is given."""
    if recipe and log.format != "swf":
        raise InputError("is for logs in SWF", field="--recipe", value=recipe)
    instance = cut(log, window)
    for reason, number in instance.provenance.items():
        sys.stderr.write(f"{reason}: {number}\n")
    sys.stderr.write(f"processors: {_sizes(instance)}\n")
    if recipe:
        write_bytes(recipe, write_recipe(recipe_of(log, window)))
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
    each = (
        f"{smallest:,}" if smallest == largest else f"{smallest:,} {'or' if len(set(sizes)) == 2 else 'to'} {largest:,}"
    )
    longest = max(job.release + job.time for job in instance.jobs)
    average = sum((job.time * job.processors for job in instance.jobs), Fraction(0)) / sum(sizes)
    remark = ""
    if longest >= average:
        remark = (
            f"; all jobs together occupy them for {show_time(average)}, but one job cannot end before"
            f" {show_time(longest)}: it decides the makespan, and methods will hardly differ; use more jobs (--count)"
        )
    return f"{each} for each of {len(sizes)} organizations{remark}"
