"""What `oas doctor` finds out."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from oas.cli.numbers import MISSING, show_seconds, show_time
from oas.cli.tables import console
from oas.core.errors import SolverMissingError
from oas.exact.versions import versions
from oas.solvers.discovery import SolverInfo, installed
from oas.solvers.preflight import Check, preflight

if TYPE_CHECKING:
    from collections.abc import Mapping


def diagnose(names: list[str] | None, quick: bool, as_json: bool) -> int:
    """List and test solvers; return the exit code.

    Raises
    ------
    InputError
        For a name that no solver has.
    """
    listed = [info for info in installed() if names is None or info.name in names]
    chosen = names or [info.name for info in listed if info.usable]
    checks: dict[str, list[Check]] = {}
    missing = [info for info in listed if not info.usable]
    for name in () if quick else chosen:
        if any(info.name == name for info in missing):
            continue
        sys.stderr.write(f"testing {name} on models with known answers …\n")
        try:
            checks[name] = preflight(name)
        except SolverMissingError as error:
            missing.append(SolverInfo(name, "", "", False, str(error)))
            listed.append(missing[-1])
    wrong = any(not check.ok for own in checks.values() for check in own)
    if as_json:
        sys.stdout.write(json.dumps(_document(listed, checks), indent=1, ensure_ascii=False) + "\n")
    else:
        _print(listed, checks)
    return 4 if wrong or missing else 0


def _print(listed: list[SolverInfo], checks: Mapping[str, list[Check]]) -> None:
    screen = console()
    screen.print(", ".join(f"{name} {version}" for name, version in versions({}).items()))
    table = Table()
    for heading in ("solver", "version", "found at"):
        table.add_column(heading)
    for info in listed:
        table.add_row(info.name, info.version or MISSING, Text(info.location or f"missing: {info.advice}"))
    screen.print(table)
    for name, own in checks.items():
        right = sum(check.ok for check in own)
        table = Table(title=f"{name}: {right} of {len(own)} models answered rightly", title_justify="left")
        for heading, side in (
            ("model", "left"),
            ("optimum", "right"),
            ("answer", "right"),
            ("", "left"),
            ("time", "right"),
        ):
            table.add_column(heading, justify=side)  # type: ignore[arg-type]
        for check in own:
            answer = check.got if isinstance(check.got, str) else f"{check.got:.9g}"
            mark = Text("right") if check.ok else Text("WRONG", style="bold red")
            table.add_row(Text(check.model), show_time(check.expected), Text(answer), mark, show_seconds(check.seconds))
        screen.print(table)


def _document(listed: list[SolverInfo], checks: Mapping[str, list[Check]]) -> dict[str, Any]:
    return {
        "versions": versions({}),
        "solvers": [
            {
                "name": info.name,
                "version": info.version,
                "location": info.location,
                "usable": info.usable,
                "advice": info.advice,
                "models": [{**check._asdict(), "expected": str(check.expected)} for check in checks.get(info.name, [])],
            }
            for info in listed
        ],
    }
