"""Rows of the experiments: one for each case and policy, appended to a file as they are made; nothing is made twice."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.papers.fair_logs.cases import LogCase, as_record
from benchmarks.papers.fair_logs.contestants import CONTESTANTS
from oas.core.errors import InputError, VerificationError
from oas.problems.fair.stream_rules import ticks_violations
from oas.problems.fair.utilities import completed_work, strategy_proof

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from benchmarks.papers.fair_logs.cases import Log
    from oas.problems.fair.ticks import FairTicks


@dataclass(frozen=True)
class Row:
    """What a policy gives on a case.

    Attributes
    ----------
    case, policy
        Of which; `REF` is the reference.
    jobs
        How many there are, copies among them.
    second
        Ticks of a second.
    utilities
        ψ_sp of each organization at the horizon.
    work
        Units that are over then.
    seconds
        Wall time of the run.
    """

    case: LogCase
    policy: str
    jobs: int
    second: int
    utilities: tuple[int, ...]
    work: int
    seconds: float

    @property
    def key(self) -> tuple[str, str]:
        """Tells it from all others."""
        return self.case.key, self.policy


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a file, none if there is no file; a last line that was not finished is left out.

    Raises
    ------
    InputError
        If another line is no row.
    """
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").split("\n")
    found = []
    for number, line in enumerate(lines[:-1], start=1):  # after the last line break: nothing, or what was cut off
        try:
            content = json.loads(line)
            case = LogCase(**content.pop("case"))
            found.append(Row(case=case, **{**content, "utilities": tuple(content["utilities"])}))
        except (ValueError, TypeError, KeyError) as error:
            raise InputError("is no row of this experiment", file=str(path), field=f"line {number}") from error
    return found


def make_rows(
    cases: Iterable[tuple[Log, LogCase]],
    path: Path,
    seconds: float | None,
    report: Callable[[str], None],
    policies: Sequence[str] = tuple(CONTESTANTS),
) -> list[Row]:
    """Make what the file lacks, REF first, until the time is up or Ctrl-C comes; return all rows of these cases.

    What else the file has is kept there. A window without jobs, or of nobody known, has no rows.
    """
    asked = list(cases)
    wanted = {(case.key, name) for _, case in asked for name in policies}
    rows = [row for row in read_rows(path) if row.key in wanted]
    _cut(path)
    held = {row.key for row in rows}
    began = time.monotonic()
    try:
        with path.open("a", encoding="utf-8") as file:
            for log, case in asked:
                missing = [name for name in policies if (case.key, name) not in held]
                if seconds is not None and time.monotonic() - began > seconds:
                    report("time is up")
                    break
                if not missing:
                    continue
                try:
                    ticks = case.ticks(log)
                except InputError as error:
                    report(f"{case.key}: left out: {error}")
                    continue
                report(f"{time.monotonic() - began:.0f} s: {case.key}, {ticks.job_count:,} jobs")
                for name in missing:
                    rows.append(_row(case, name, ticks, log.jobs.second))
                    file.write(_line(rows[-1]))
                    file.flush()
    except KeyboardInterrupt:
        report("interrupted; what is finished is kept")
    return rows


def _cut(path: Path) -> None:
    """Cut off a last line that was not finished, so that the next begins on its own."""
    if path.exists():
        text = path.read_text(encoding="utf-8")
        path.write_text(text[: text.rfind("\n") + 1], encoding="utf-8")


def _row(case: LogCase, policy: str, ticks: FairTicks, second: int) -> Row:
    began = time.monotonic()
    starts = CONTESTANTS[policy](ticks, case.seed, second)
    seconds = time.monotonic() - began
    violations = tuple(ticks_violations(ticks, starts))
    if violations:
        raise VerificationError(f"{policy}'s schedule breaks rules", violations)
    return Row(
        case,
        policy,
        ticks.job_count,
        second,
        tuple(strategy_proof(ticks, starts)),
        sum(completed_work(ticks, starts)),
        round(seconds, 3),
    )


def _line(row: Row) -> str:
    content: dict[str, Any] = {**vars(row), "case": as_record(row.case)}
    return json.dumps(content) + "\n"
