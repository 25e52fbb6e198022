"""The rows as a page of Markdown: contradictions first, a line for each set, what is open over time, what stays so."""

from __future__ import annotations

from fractions import Fraction
from statistics import fmean
from typing import TYPE_CHECKING

from benchmarks.proof_rates.shared import anytime
from benchmarks.proof_rates.shared.intervals import interval_text
from benchmarks.proof_rates.shared.targets import mean_gap, percent
from benchmarks.proof_rates.shared.text import circumstances, endings, most_open, rival_gap, worst_gap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.external.catalogue import Catalogue
    from benchmarks.external.rows import ExternalRow

LEAST_PROVEN = Fraction(3, 4)
MOST_MEAN_GAP = Fraction(1, 100)
ENOUGH = 15  # instances of a set
_COLUMNS = (
    "set",
    "instances",
    "proven",
    "95 % interval",
    "certificate",
    "published optimum known",
    "of these: schedule has it",
    "bound has it",
    "most open",
    "mean gap",
    "worst gap",
    "mean s",
    "CP-SAT proven",
    "its mean gap",
    "its mean s",
    "contradictions",
)
_LEGEND = """\
Public instances by `oas.solve` as it stands, then by CP-SAT: cumulative model, a process of its own, one thread, from
the same start (the best heuristic schedule) and the same bound (the best combinatorial one), for the wall time that
`oas.solve` took, but at least a second. Where start and bound already meet, CP-SAT is not run and counts as having
proven it in 0 s. Bins are units of time of one cluster, machines are processors of one cluster, a strip's width is the
processors of one cluster, along it runs time. Several organizations: the jobs dealt out in turn, each organization with
the whole cluster, locality 1.

*Published*: see `benchmarks/external/catalogue.toml`. Bins and machines are the same problem. The height of a strip is
only an upper bound, for MOSP does not ask that the processors of a job be neighbours; with the area as a lower bound it
is the optimum where the two meet. Of several organizations only a lower bound follows. *Gap*: schedule / bound - 1,
both our own. *Certificate*: exact arithmetic, without a solver, confirmed the bound after the solve. *Contradiction*:
two answers, or an answer and what is published, that cannot both be true. *95 % interval*: Wilson's, of the share
proven."""


def report(rows: Sequence[ExternalRow], catalogue: Catalogue) -> str:
    """Return the page."""
    parts = ["# Public instances with published optima", "", _LEGEND, ""]
    wrong = [f"{row.case}: {row.mismatch}" for row in rows if row.mismatch]
    if wrong:
        parts += [f"**{len(wrong)} CONTRADICTIONS**", "", *(f"- {text}" for text in wrong), ""]
    if not rows:
        return "\n".join([*parts, "No rows.", ""])
    by_set = groups(rows, catalogue)
    parts += [*circumstances(rows), "", "## Targets", "", *_targets(rows, by_set), ""]
    parts += ["## Sets", "", *_table(rows, by_set), "", endings(rows), ""]
    parts += ["## What is open after so many seconds", "", *anytime.section(by_set), ""]
    parts += ["## What stays open", "", *_open(rows), ""]
    parts += ["## Sources", "", *_sources(by_set, catalogue), ""]
    return "\n".join(parts)


def groups(rows: Sequence[ExternalRow], catalogue: Catalogue) -> dict[str, list[ExternalRow]]:
    """Return the rows by set, in the order of the catalogue."""
    found: dict[str, list[ExternalRow]] = {name: [] for name in catalogue.names}
    for row in rows:
        found.setdefault(row.plan, []).append(row)
    return {name: own for name, own in found.items() if own}


def _targets(rows: Sequence[ExternalRow], by_set: dict[str, list[ExternalRow]]) -> Iterator[str]:
    done = sum(row.own.proven for row in rows)
    share, mean = Fraction(done, len(rows)), mean_gap(rows)
    wrong = sum(bool(row.mismatch) for row in rows)
    small = [f"{name} {len(own)}" for name, own in by_set.items() if len(own) < ENOUGH]
    yield "| asked | found | 95 % interval | met |"
    yield "|---|---|---|---|"
    interval = interval_text(done, len(rows))
    yield f"| at least 75 % of all proven | {percent(share, 1)} | {interval} | {_met(share >= LEAST_PROVEN)} |"
    yield f"| mean gap at most 1 % | {percent(mean)} | – | {_met(mean is not None and mean <= MOST_MEAN_GAP)} |"
    yield f"| no published optimum contradicted | {wrong} | – | {_met(not wrong)} |"
    yield f"| at least {ENOUGH} instances of each set | {'; '.join(small) or 'all'} | – | {_met(not small)} |"


def _met(met: bool) -> str:
    return "yes" if met else "**no**"


def _table(rows: Sequence[ExternalRow], by_set: dict[str, list[ExternalRow]]) -> Iterator[str]:
    yield f"| {' | '.join(_COLUMNS)} |"
    yield "|" + "---|" * len(_COLUMNS)
    for name, own in by_set.items():
        yield _line(name, own)
    yield _line("all", rows)


def _line(name: str, rows: Sequence[ExternalRow]) -> str:
    done = sum(row.own.proven for row in rows)
    known = [row for row in rows if row.known.optimum is not None]
    cells = (
        name,
        len(rows),
        done,
        interval_text(done, len(rows)),
        sum(row.certified for row in rows),
        len(known),
        sum(row.own.upper == row.known.optimum for row in known),
        sum(row.own.lower == row.known.optimum for row in known),
        most_open(row.own.open for row in rows),
        percent(mean_gap(rows)),
        percent(worst_gap(rows)),
        f"{fmean(row.own.seconds for row in rows):.1f}",
        sum(row.rival.proven for row in rows),
        rival_gap(rows),
        f"{fmean(row.rival.seconds for row in rows):.1f}",
        sum(bool(row.mismatch) for row in rows),
    )
    return f"| {' | '.join(map(str, cells))} |"


def _open(rows: Sequence[ExternalRow]) -> Iterator[str]:
    """A line for each instance that is not proven: which falls short, bound or schedule, of a published optimum."""
    rest = [row for row in rows if not row.own.proven]
    if not rest:
        yield "Nothing."
        return
    yield "| instance | jobs | processors | bound | schedule | published | missing | CP-SAT |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in rest:
        made = "" if row.cell.organizations == 1 else f", {row.cell.organizations} organizations"
        upper = "?" if row.published_upper is None else row.published_upper
        cells = (
            f"{row.cell.origin}/{row.cell.name}{made}",
            row.jobs,
            row.processors,
            row.own.lower,
            row.own.upper,
            f"{row.published_lower} to {upper}",
            missing(row),
            f"{row.rival.lower} to {row.rival.upper}",
        )
        yield f"| {' | '.join(map(str, cells))} |"


def missing(row: ExternalRow) -> str:
    """Return whether bound or schedule falls short of the published optimum; ``not known`` without one."""
    optimum = row.known.optimum
    if optimum is None:
        return "not known"
    short = [name for name, value in (("bound", row.own.lower), ("schedule", row.own.upper)) if value != optimum]
    return " and ".join(short) or "nothing"


def _sources(by_set: dict[str, list[ExternalRow]], catalogue: Catalogue) -> Iterator[str]:
    for one in catalogue.sets:
        if one.name in by_set:
            files = {catalogue.files[entry.file] for entry in one.instances}
            places = sorted({f"{file.repository}@{file.commit[:10]}" for file in files})
            chosen = f" Chosen: {one.chosen}." if one.chosen != "all" else ""
            yield f"- *{one.name}*: {one.title}; {one.reference}. From {', '.join(places)}.{chosen} {one.published}"
    for made in catalogue.organized:
        if made.name in by_set:
            yield f"- *{made.name}*: {made.title}."
