"""`oas verify`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from oas.cli import options as opt
from oas.cli.output import put, put_json
from oas.core.errors import InputError, VerificationError

if TYPE_CHECKING:
    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.core.schedule import Schedule


def verify_command(
    file: opt.InstanceFile,
    schedule: Annotated[str, typer.Argument(metavar="SCHEDULE", help="Schedule or result file; - for stdin.")],
    slot: opt.Slot = None,
    as_json: opt.AsJson = False,
) -> None:
    """Check a schedule, or all that a result claims, in exact arithmetic and without a solver.

    Of a result, the bound is re-checked where it carries a certificate; what rests on a solver's word is said to do
    so. A certificate that would take more than some minutes of one processor, or 512 MiB, to check is refused. Exit
    code 3 if a rule is broken or a claim does not hold.

    Examples
    --------
      oas verify grid.json schedule.json
      oas solve grid.json --json | oas verify grid.json -
      oas verify grid.json result.json --json
    """
    if file == schedule == "-":
        raise InputError("only one of the two files can come from stdin")
    instance = opt.load_instance(file, slot)
    from oas.io import load_answer

    answer = load_answer(schedule)
    try:
        lines = _findings(instance, answer, "<stdin>" if schedule == "-" else schedule)
    except VerificationError as error:
        if as_json:
            put_json(_document(instance, answer, [], error))
        raise
    if as_json:
        put_json(_document(instance, answer, lines))
    else:
        put("".join(f"{line}\n" for line in lines))


def _findings(instance: Instance, answer: Schedule | Result, name: str) -> list[str]:
    """Return what holds, a line each; `name` is what errors call the file.

    Raises
    ------
    VerificationError
        If a rule is broken, a claim does not hold, or the result is of another instance.
    """
    from oas.core.result import Result
    from oas.exact.recheck import recheck_result, recheck_schedule

    try:
        if not isinstance(answer, Result):
            return recheck_schedule(instance, answer)
        return recheck_result(instance, answer)
    except InputError as error:  # readable, but of another instance, or with a certificate of nothing known
        error.file = name
        raise VerificationError(str(error)) from error
    except VerificationError as error:
        error.args = (f"{name}: {error}",)
        raise


def _document(
    instance: Instance, answer: Schedule | Result, findings: list[str], error: VerificationError | None = None
) -> dict[str, Any]:
    from oas.core.result import Result

    schedule = answer.schedule if isinstance(answer, Result) else answer
    violations = error.violations if error else ()
    return {
        "instance": instance.digest,
        "holds": error is None,
        "makespan": None if schedule is None else str(schedule.makespan),
        "findings": findings,
        "error": None if error is None else str(error).partition("\n")[0],
        "violations": [{"rule": one.rule, "jobs": list(one.jobs), "message": one.message} for one in violations],
    }
