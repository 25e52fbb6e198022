"""The tables of a soak, in Markdown."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from benchmarks.agreement.participants import AGREED, FAULT, MISMATCH, TIME_LIMIT, TOLERANCE, TOO_LARGE
from benchmarks.agreement.soak.drawing import KINDS, PROBLEMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

VERDICTS = (AGREED, MISMATCH, TOO_LARGE, TIME_LIMIT, TOLERANCE, FAULT)
Row = dict[str, Any]


def report(rows: Sequence[Row], versions: Mapping[str, str]) -> str:
    """Return the tables: instances by shape, participants, proofs, differences, what was left open, versions."""
    if not rows:
        return "No instances.\n"
    seeds = [row["seed"] for row in rows]
    problems = [one for one in PROBLEMS if any(row["problem"] == one for row in rows)]
    counts = ", ".join(f"{one} {sum(row['problem'] == one for row in rows)}" for one in problems)
    distinct = len({row["digest"] for row in rows})
    differences = [row for row in rows if MISMATCH in row["verdicts"]]
    lines = [
        f"{len(rows)} instances, {distinct} of them distinct, seeds {min(seeds)} to {max(seeds)} ({counts}); "
        f"{sum(row['full'] for row in rows)} of them by every run of every solver, the others by one run each; "
        f"{sum(row['seconds'] for row in rows):.0f} s without the start.",
        "",
        f"Differences: {len(differences)}",
        *(_difference(row) for row in differences),
        "",
        ", ".join(f"{name} {text}" for name, text in versions.items()),
        *_sources(rows),
    ]
    for problem in problems:
        own = [row for row in rows if row["problem"] == problem]
        lines += ["", f"## {problem}", "", *_shapes(own, problem), "", *_participants(own), "", *_proofs(own)]
    return "\n".join([*lines, ""])


def _difference(row: Row) -> str:
    who = [f"{participant}: {detail}" for participant, verdict, detail in row["details"] if verdict == MISMATCH]
    return (
        f"- seed {row['seed']}, {row['problem']}, {row['shape']}: {'; '.join(who)}; {', '.join(row.get('files', ()))}"
    )


def _sources(rows: Iterable[Row]) -> list[str]:
    """Say by which source the instances were solved, and by which stand-alone checker results were checked."""
    made = Counter((row["source"], row["checker"]) for row in rows)
    return [f"- source {source}, checker {checker}: {count} instances" for (source, checker), count in made.items()]


def _shapes(rows: Sequence[Row], problem: str) -> list[str]:
    known = [shape for own, shapes, _ in KINDS if own == problem for shape in shapes]
    lines = ["| shape | instances | by all solvers | differences | seconds |", "|---|---|---|---|---|"]
    for shape in known:
        own = [row for row in rows if row["shape"] == shape]
        if own:
            differ = sum(MISMATCH in row["verdicts"] for row in own)
            seconds = sum(row["seconds"] for row in own)
            lines.append(f"| {shape} | {len(own)} | {sum(row['full'] for row in own)} | {differ} | {seconds:.0f} |")
    return lines


def _participants(rows: Sequence[Row]) -> list[str]:
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        for verdict, who in row["verdicts"].items():
            for participant, times in who.items():
                counts.setdefault(participant, Counter())[verdict] += times
    lines = [f"| participant | {' | '.join(VERDICTS)} |", "|---" * (len(VERDICTS) + 1) + "|"]
    return lines + [
        f"| {participant} | {' | '.join(str(own[verdict]) for verdict in VERDICTS)} |"
        for participant, own in counts.items()
    ]


def _proofs(rows: Iterable[Row]) -> list[str]:
    proofs = Counter((source, name) for row in rows for source, name in row["proofs"].items())
    return [
        "What proves the results that the checkers were shown:",
        "",
        *(f"- {source}: {name} {count}" for (source, name), count in sorted(proofs.items())),
    ]
