"""`oas verify`."""

from __future__ import annotations

from typing import Annotated

import typer

from oas.cli import options as opt


def verify_command(
    file: opt.InstanceFile,
    schedule: Annotated[str, typer.Argument(metavar="SCHEDULE", help="Schedule or result file; - for stdin.")],
    slot: opt.Slot = None,
) -> None:
    """Check a schedule, or all that a result claims, in exact arithmetic and without a solver.

    Of a result, the bound is re-checked where it carries a certificate; what rests on a solver's word is said to do
    so. Exit code 3 if a rule is broken or a claim does not hold.

    Examples
    --------
      oas verify grid.json schedule.json

      oas solve grid.json --json | oas verify grid.json -
    """
    instance = opt.load_instance(file, slot)
    from oas.cli.numbers import show_time
    from oas.core.result import Result
    from oas.core.verifier import check
    from oas.exact.recheck import recheck_result
    from oas.io import load_answer

    answer = load_answer(schedule)
    if isinstance(answer, Result):
        for line in recheck_result(instance, answer):
            typer.echo(line)
        return
    check(instance, answer)
    typer.echo(f"feasible: {len(answer.placements)} jobs, makespan {show_time(answer.makespan)}")
