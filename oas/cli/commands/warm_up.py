"""`oas warm-up`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from oas.cli import options as opt
from oas.cli.exit_codes import ExitCode


def warm_up_command(
    problem: Annotated[str | None, opt.problem_option("Compile what this problem needs only.")] = None,
    quiet: opt.Quiet = False,
) -> None:
    """Compile the searches, so that no later command has to.

    Once per installation and processor, in as many processes as there are cores. A solve without a time limit does it
    by itself before its time begins; one with a limit does it meanwhile, and has less time for the search. What is
    compiled already stays.

    Examples
    --------
      oas warm-up
      oas warm-up --problem mosp
    """
    from oas.exact.parts import parts_of
    from oas.exact.progress import COMPILE, SolveProgress
    from oas.exact.warm_up import missing, warm_up
    from oas.problems.registry import problem_named, problems
    from oas.show.progress import ProgressLine

    chosen = problems() if problem is None else (problem_named(problem),)
    loops = [one for each in chosen if each.has("exact") for parts in parts_of(each) for one in parts.loops(None)]
    wanted = missing(loops)
    try:
        with ProgressLine(quiet) as progress:
            warm_up(wanted, lambda seconds: progress(SolveProgress(COMPILE, seconds, None, None)))
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; what was compiled is kept\n")
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    if not quiet:
        sys.stderr.write(f"{len(wanted)} of {len(loops)} parts compiled, the others were there\n")
