"""Rows: the findings on one instance; and their report."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from benchmarks.soak.drawing import DRAW
from benchmarks.soak.findings import AGREED, MISMATCH
from oas.campaigns.methods import source_hash
from oas.core.errors import InputError
from oas.solvers.discovery import installed, versions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.soak.drawing import Drawn
    from benchmarks.soak.findings import Asked, Finding

NAME, SUMMARY = "rows.jsonl", "summary.md"
Row = dict[str, Any]


def row_of(check: str, drawn: Drawn, asked: Asked, findings: Sequence[Finding], seconds: float) -> Row:
    """Return the row of an instance: verdicts of each participant, its values, and every disagreement."""
    verdicts: dict[str, Counter[str]] = {}
    values: dict[str, list[float]] = {}
    for one in findings:
        verdicts.setdefault(one.participant, Counter())[one.verdict] += 1
        if one.value is not None:
            values.setdefault(one.participant, []).append(one.value)
    return {
        "check": check,
        "draw": DRAW,
        "seed": drawn.seed,
        "problem": drawn.problem,
        "shape": drawn.shape,
        "digest": drawn.instance.digest,
        "full": asked.full,
        "seconds": round(seconds, 3),
        "verdicts": verdicts,
        "values": {name: [len(own), sum(own), max(own)] for name, own in values.items()},
        "details": [[one.participant, one.verdict, one.detail] for one in findings if one.detail],
        "proofs": asked.proofs,
        "source": source_hash("exact")[:12],
    }


def check_draw(rows: Sequence[Row], file: str) -> None:
    """Raise InputError for rows of another version of the generator."""
    others = {row["draw"] for row in rows} - {DRAW}
    if others:
        reason = f"rows of another way of drawing, {DRAW} is this one; take another folder"
        raise InputError(reason, field="draw", value=min(others), file=file)


def differs(row: Row) -> bool:
    """Whether a participant disagrees."""
    return any(MISMATCH in own for own in row["verdicts"].values())


def report(rows: Sequence[Row]) -> str:
    """Return the tables in Markdown: instances by shape, participants, proofs, differences, versions."""
    solvers = {one.name: one.version for one in installed() if one.usable}
    lines = [
        f"{len(rows)} instances, {len({row['digest'] for row in rows})} of them distinct; "
        f"{sum(row['full'] for row in rows)} of them by every run of every solver, the others by one run each; "
        f"{sum(row['seconds'] for row in rows):.0f} s without the start.",
        "",
        f"Differences: {sum(map(differs, rows))}",
        *(_difference(row) for row in rows if differs(row)),
        "",
        ", ".join(f"{name} {text}" for name, text in versions(solvers).items()),
    ]
    made = Counter(row["source"] for row in rows)
    lines += [f"- source {source}: {count} instances" for source, count in made.items()]
    for check, problem in dict.fromkeys((row["check"], row["problem"]) for row in rows):
        own = [row for row in rows if (row["check"], row["problem"]) == (check, problem)]
        seeds = [row["seed"] for row in own]
        lines += ["", f"## {check}, {problem}: {len(own)} instances, seeds {min(seeds)} to {max(seeds)}", ""]
        lines += [*_shapes(own), "", *_participants(own)]
        proofs = Counter((source, name) for row in own for source, name in row["proofs"].items())
        if proofs:
            lines += ["", "What proves the results that the checkers were shown:", ""]
            lines += [f"- {source}: {name} {count}" for (source, name), count in sorted(proofs.items())]
    return "\n".join([*lines, ""])


def _difference(row: Row) -> str:
    wrong = [f"{participant}: {detail}" for participant, verdict, detail in row["details"] if verdict == MISMATCH]
    return (
        f"- {row['check']}, seed {row['seed']}, {row['shape']}: {'; '.join(wrong)}; {', '.join(row.get('files', ()))}"
    )


def _shapes(rows: Sequence[Row]) -> list[str]:
    lines = ["| shape | instances | by all solvers | differences | seconds |", "|---|---|---|---|---|"]
    for shape in dict.fromkeys(row["shape"] for row in rows):
        own = [row for row in rows if row["shape"] == shape]
        full, seconds = sum(row["full"] for row in own), sum(row["seconds"] for row in own)
        lines.append(f"| {shape} | {len(own)} | {full} | {sum(map(differs, own))} | {seconds:.0f} |")
    return lines


def _participants(rows: Iterable[Row]) -> list[str]:
    counts: dict[str, Counter[str]] = {}
    values: dict[str, list[list[float]]] = {}
    for row in rows:
        for participant, own in row["verdicts"].items():
            counts.setdefault(participant, Counter()).update(own)
        for participant, triple in row["values"].items():
            values.setdefault(participant, []).append(triple)
    verdicts = list(dict.fromkeys([AGREED, MISMATCH, *(one for own in counts.values() for one in own)]))
    lines = [f"| participant | {' | '.join(verdicts)} | mean | greatest |", "|---" * (len(verdicts) + 3) + "|"]
    for participant, count in counts.items():
        cells = [str(count[verdict]) for verdict in verdicts]
        figures = values.get(participant)
        mean = sum(one[1] for one in figures) / sum(one[0] for one in figures) if figures else 0.0
        cells += [f"{mean:.3f}", f"{max(one[2] for one in figures):.3f}"] if figures else ["–", "–"]
        lines.append(f"| {participant} | {' | '.join(cells)} |")
    return lines
