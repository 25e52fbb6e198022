"""`oas convert`."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from oas.cli import options as opt
from oas.cli.output import put_bytes

Owner = Literal["user", "group", "queue", "partition"]


def convert_command(
    log: Annotated[str, typer.Argument(metavar="LOG", help="Job log, Standard Workload Format, plain or .gz.")],
    organizations: Annotated[int, typer.Option(help="How many organizations.", metavar="N")] = 5,
    by: Annotated[Owner, typer.Option(help="Field of the log that tells owners apart.")] = "user",
    first: Annotated[int, typer.Option(help="Number of the job at which the slice begins.", metavar="N")] = 0,
    count: Annotated[int, typer.Option(help="How many jobs.", metavar="N")] = 100,
    processors: Annotated[
        int | None, typer.Option(help="Processors of each cluster; otherwise the logged system's.", metavar="N")
    ] = None,
    releases: Annotated[bool, typer.Option("--releases", help="Keep submission times as releases.")] = False,
    seed: Annotated[int, typer.Option(help="Deals owners to organizations.", metavar="N")] = 0,
    recipe: Annotated[
        str | None,
        typer.Option(metavar="PATH", callback=opt.usable_file, help="Also write the recipe, which may be published."),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="PATH", help="Where to write the instance; - is stdout.")
    ] = "-",
) -> None:
    """Cut a slice of a job log into an instance of several organizations.

    Provenance (log, checksum, slice, what was left out and why) is kept in the file. Logs carry their owners' terms:
    publish the recipe, from which anyone with the log makes the same instance, not the data.

    Examples
    --------
      oas convert KTH-SP2.swf.gz --organizations 4 --count 40 -o kth.json
      oas convert KTH-SP2.swf.gz --first 2000 --releases --recipe kth.recipe.json -o kth.json
    """
    from oas.io import dumps, save
    from oas.io.files import write_bytes
    from oas.io.logs.recipes import recipe_of, write_recipe
    from oas.io.logs.slices import Slice, cut
    from oas.io.logs.swf import read_swf

    read = read_swf(log)
    window = Slice(
        organizations=organizations,
        by=by,
        first=first,
        count=count,
        processors=processors,
        keep_releases=releases,
        seed=seed,
    )
    instance = cut(read, window)
    for reason, number in instance.provenance.items():
        sys.stderr.write(f"{reason}: {number}\n")
    if recipe:
        write_bytes(recipe, write_recipe(recipe_of(read, window)))
    if output == "-":
        put_bytes(dumps(instance))
    else:
        save(instance, output)
