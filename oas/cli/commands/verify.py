"""`oas verify`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from oas.cli import options as opt
from oas.cli.output import put
from oas.core.errors import InputError, VerificationError

if TYPE_CHECKING:
    from oas.core.instances import Instance
    from oas.core.result import Result


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
    if file == schedule == "-":
        raise InputError("only one of the two files can come from stdin")
    instance = opt.load_instance(file, slot)
    from oas.core.formats import show_exact
    from oas.core.result import Result
    from oas.core.verifier import check
    from oas.io import load_answer

    answer = load_answer(schedule)
    name = "<stdin>" if schedule == "-" else schedule
    if isinstance(answer, Result):
        lines = _recheck(instance, answer, name)
    else:
        check(instance, answer, name)
        lines = [f"feasible: {len(answer.placements)} jobs, makespan {show_exact(answer.makespan)}"]
    put("".join(f"{line}\n" for line in lines))


def _recheck(instance: Instance, result: Result, name: str) -> list[str]:
    from oas.exact.recheck import recheck_result

    try:
        return recheck_result(instance, result)
    except InputError as error:  # readable, but of another instance
        error.file = name
        raise VerificationError(str(error)) from error
    except VerificationError as error:
        error.args = (f"{name}: {error}",)
        raise
