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

    Once per installation and processor, in as many processes as there are cores. Otherwise each command compiles what
    it needs in the background, and runs slower until that is done. What is compiled already stays.

    Examples
    --------
      oas warm-up
      oas warm-up --problem mosp
    """
    from oas.exact.progress import COMPILE, SolveProgress
    from oas.exact.warm_up import warm_up
    from oas.problems.registry import problem_named, problems
    from oas.show.progress import ProgressLine

    chosen = problems() if problem is None else (problem_named(problem),)
    try:
        with ProgressLine(quiet) as progress:
            compiled, count = warm_up(chosen, lambda seconds: progress(SolveProgress(COMPILE, seconds, None, None)))
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; what was compiled is kept\n")
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    if not quiet:
        sys.stderr.write(f"{compiled} of {count} kernels compiled, the others were there\n")
