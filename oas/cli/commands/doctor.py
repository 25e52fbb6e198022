"""`oas doctor` and `oas warm-up`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import typer
from typer import Option

from oas.cli import options as opt
from oas.cli.output import ExitCode, attributes, put, put_all, put_json
from oas.core.errors import SolverMissingError
from oas.core.formats import MISSING, show_count, show_seconds, show_time
from oas.show.tables import Table
from oas.solvers.discovery import SolverInfo, installed, versions
from oas.solvers.known import Check, preflight

if TYPE_CHECKING:
    from collections.abc import Mapping

# Wrong answers of released solvers, by solver and model. CBC 2.10.3, which PuLP bundles, gives this one; a machine is
# not ill for that, and no optimum rests on a single solver's word without saying so.
KNOWN_FAULTS = {("cbc", "Cbc #293"): 19712}


def doctor_command(
    solver: list[str] | None = opt.option(None, "NAME", "Test this solver instead of all; repeatable.", "--solver"),
    quick: bool = Option(False, "--quick", help="Only list what is installed."),
    as_json: opt.AsJson = False,
) -> None:
    """List the solvers found and test each on models with known answers.

    Among them are published models that solvers have answered wrongly. Exit code 4 if a solver is missing or answers
    wrongly, except for a fault that is known of a solver's release: that one is shown as such. CP-SAT is optional: it
    is missed only if it is named.

    Examples
    --------
      oas doctor
      oas doctor --solver cbc
      oas doctor --quick --json
    """
    listed = [info for info in installed() if solver is None or info.name in solver]
    missing = {info.name for info in listed if not info.usable}
    # What is optional is missed only by whoever asks for it.
    unneeded = {info.name for info in listed if info.optional} if solver is None else set()
    checks: dict[str, list[Check]] = {}
    for name in [] if quick else solver or [info.name for info in listed]:
        if name in missing:
            continue
        sys.stderr.write(f"testing {name} on models with known answers …\n")
        try:
            checks[name] = preflight(name)
        except SolverMissingError as error:
            missing.add(name)
            listed.append(SolverInfo(name, "", "", False, str(error)))
    if as_json:
        put_json(_document(listed, checks))
    else:
        _print(listed, checks)
    wrong = any(verdict(name, check) == "WRONG" for name, own in checks.items() for check in own)
    raise typer.Exit(ExitCode.SOLVER_FAULT if wrong or missing - unneeded else ExitCode.DONE)


def verdict(solver: str, check: Check) -> str:
    """``right``, ``known fault`` or ``WRONG``."""
    if check.ok:
        return "right"
    return "known fault" if KNOWN_FAULTS.get((solver, check.model), check.expected) == check.got else "WRONG"


def _print(listed: list[SolverInfo], checks: Mapping[str, list[Check]]) -> None:
    put(", ".join(f"{name} {version}" for name, version in versions({}).items()) + "\n\n")
    for info in listed:
        put(f"{info.name:<8}{info.version or MISSING}\n        {info.location or f'missing: {info.advice}'}\n")
    for name, own in checks.items():
        rows, styles = [], []
        for check in own:
            expected = "infeasible" if check.expected is None else show_time(check.expected)
            answer = check.got if isinstance(check.got, str) else f"{check.got:,.9g}"
            mark = verdict(name, check)
            rows.append((check.model, expected, answer, mark, show_seconds(check.seconds)))
            styles.append({"right": "", "known fault": "yellow", "WRONG": "bold red"}[mark])
        headings = ("model", "optimum", "answer", "", "time")
        table = Table(headings, rows, side=("time",), names=("",), styles=styles)
        right = sum(check.ok for check in own)
        notes = [f"{check.model}: {check.note}" for check in own if not check.ok]
        put_all("", f"{name}: {right} of {show_count(len(own), 'model')} answered rightly", table, *notes)


def _document(listed: list[SolverInfo], checks: Mapping[str, list[Check]]) -> dict[str, Any]:
    return {
        "versions": versions({}),
        "solvers": [
            {
                **attributes(info, "name", "version", "location", "usable", "advice"),
                "models": [
                    {
                        **check._asdict(),
                        "expected": "infeasible" if check.expected is None else str(check.expected),
                        "verdict": verdict(info.name, check),
                    }
                    for check in checks.get(info.name, [])
                ],
            }
            for info in listed
        ],
    }


def warm_up_command(
    problem: str | None = opt.problem_option("Compile what this problem needs only.", default=None),
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
