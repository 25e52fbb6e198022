"""`oas doctor` and `oas warm-up`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import typer
from typer import Option

from oas.cli import options as opt
from oas.cli.output import ExitCode, attributes, put, put_all, put_json
from oas.core.errors import SolverMissingError
from oas.core.formats import MISSING, show_count, show_seconds, show_time
from oas.core.registry import problem_named, problems
from oas.show.progress import ProgressLine
from oas.show.tables import Table
from oas.solvers.discovery import SolverInfo, installed, versions
from oas.solvers.known import Check, preflight
from oas.solvers.parameters import PARAMETERS

# Known wrong answers of released solvers, by solver and model: this one is of CBC 2.10.3, which PuLP bundles. It does
# not indicate a broken installation, and an optimum claimed by one solver alone is marked as such.
KNOWN_FAULTS = {("cbc", "Cbc #293"): 19712}


def doctor_command(
    solver: list[str] | None = opt.option(None, "NAME", "Test only this solver; repeatable. Default: all.", "--solver"),
    quick: bool = Option(False, "--quick", help="List the installed solvers without testing them."),
    as_json: opt.AsJson = False,
) -> None:
    """List the installed solvers and test each on models with known answers.

    The models include published ones for which released solvers gave wrong answers. The exit code is 4 if a solver is
    missing or gives a wrong answer. A known fault of a solver's release is listed but does not count. All solvers but
    HiGHS and CBC are optional: they count as missing only if they are named.

    Examples
    --------
      oas doctor
      oas doctor --solver cbc
      oas doctor --quick --json
    """
    listed = [info for info in installed() if solver is None or info.name in solver]
    missing = {info.name for info in listed if not info.usable}
    optional = {info.name for info in listed if info.optional} if solver is None else set()
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
    wrong = any(verdict(name, check) == "WRONG" for name, results in checks.items() for check in results)
    raise typer.Exit(ExitCode.SOLVER_FAULT if wrong or missing - optional else ExitCode.DONE)


def verdict(solver: str, check: Check) -> str:
    """Return ``right``, ``known fault`` or ``WRONG``."""
    if check.ok:
        return "right"
    return "known fault" if KNOWN_FAULTS.get((solver, check.model), check.expected) == check.got else "WRONG"


def _print(listed: list[SolverInfo], checks: Mapping[str, list[Check]]) -> None:
    put(", ".join(f"{name} {version}" for name, version in versions({}).items()) + "\n\n")
    for info in listed:
        put(f"{info.name:<8}{info.version or MISSING}\n        {info.location or f'missing: {info.advice}'}\n")
        if info.usable:
            put(f"        {_support(info.name)}\n")
    for name, results in checks.items():
        rows, styles = [], []
        for check in results:
            expected = "infeasible" if check.expected is None else show_time(check.expected)
            answer = check.got if isinstance(check.got, str) else f"{check.got:,.9g}"
            mark = verdict(name, check)
            rows.append((check.model, expected, answer, mark, show_seconds(check.seconds)))
            styles.append({"right": "", "known fault": "yellow", "WRONG": "bold red"}[mark])
        headings = ("model", "optimum", "answer", "", "time")
        table = Table(headings, rows, side=("time",), names=("",), styles=styles)
        right = sum(check.ok for check in results)
        notes = [f"{check.model}: {check.note}" for check in results if not check.ok]
        put_all("", f"{name}: {right} of {show_count(len(results), 'model')} answered correctly", table, *notes)


def _support(solver: str) -> str:
    """Return the features of a solver, and those that it lacks."""
    supported = PARAMETERS[solver].supported
    lacking = [f"no {name}" for name, taken in supported.items() if not taken]
    return ", ".join([*(name for name, taken in supported.items() if taken), *lacking])


def _document(listed: list[SolverInfo], checks: Mapping[str, list[Check]]) -> dict[str, Any]:
    return {
        "versions": versions({}),
        "solvers": [
            {
                **attributes(info, "name", "version", "location", "usable", "advice"),
                "supported": PARAMETERS[info.name].supported if info.name in PARAMETERS else {},
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
    problem: str | None = opt.problem_option("Compile only the kernels of this problem. Default: all.", default=None),
    quiet: opt.Quiet = False,
) -> None:
    """Compile the search kernels in advance, so that later commands start fast.

    This is needed once per installation and processor type; one process per available processor compiles the kernels
    that are not yet in the cache. Without it, each command compiles the kernels it needs in the background and runs
    slower meanwhile.

    Examples
    --------
      oas warm-up
      oas warm-up --problem mosp
    """
    from oas.solving.warm_up import warm_up

    chosen = problems() if problem is None else (problem_named(problem),)
    try:
        with ProgressLine(quiet) as progress:
            compiled, count = warm_up(chosen, progress.compiling, must_keep=True)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; compiled kernels are kept\n")
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    if not quiet:
        sys.stderr.write(f"{compiled} of {count} kernels compiled, the others were in the cache\n")
