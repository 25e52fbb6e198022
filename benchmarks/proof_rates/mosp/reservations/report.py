"""The rows as a page of Markdown: mismatches first, then for each limit targets and tables by jobs and class."""

from __future__ import annotations

from fractions import Fraction
from statistics import fmean
from typing import TYPE_CHECKING, Any

from benchmarks.proof_rates.mosp.reservations.plans import PLANS, PROCESSORS
from benchmarks.proof_rates.mosp.reservations.targets import verdicts
from benchmarks.proof_rates.shared.stages import shares
from benchmarks.proof_rates.shared.targets import percent
from benchmarks.proof_rates.shared.text import circumstances, endings, load_range
from oas.core.result import ProofKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from benchmarks.proof_rates.mosp.reservations.rows import ReservationRow

_COLUMNS = (
    "instances",
    "proven",
    "by certificate",
    "on a solver's word",
    "rest: certified gap, mean",
    "largest",
    "mean s",
    "worst s",
    "CP-SAT alone: proven",
    "by quick bounds",
    "on its word",
    "rest: its gap, mean",
    "largest",
    "mean s",
    "mismatches",
)
_LEGEND = """\
One cluster, jobs p_j × q_j around reservations: RESASCHEDULING of the reservations paper (Eyraud-Dubois, Mounié,
Trystram, IPDPS 2007). *Random*: `oas generate reservations`, three classes of availability, with releases and without;
16 processors for even seeds, 128 for odd ones. *Three-partition*: `oas generate worst-case three-partition
--no-solvable`: to end before the last reservation would be a split, and there is none.

Each is solved by `oas.solve` as it stands, then, within the same limit, by CP-SAT alone: `oas.solve(solver="cpsat")`,
the cumulative model with reservations as fixed intervals, after the same heuristics and the quick bounds, one thread.
Times are wall time and include heuristics and bounds; compiled code is loaded before the clock starts.

*By certificate*: exact arithmetic, without a solver, confirmed the bound again after the solve. *On a solver's word*:
the bound's last step is a claim of CP-SAT or HiGHS. *Rest*: what is not proven; a *certified gap* is schedule /
confirmed bound − 1. *By quick bounds*: heuristics and quick bounds met, so that CP-SAT did not run. CP-SAT's *gap* is
schedule / bound − 1, the better of its own word and the quick bounds. *Mismatch*: two answers that cannot both be true,
or an error."""


def report(rows: Sequence[ReservationRow]) -> str:
    """Return the page."""
    parts = ["# Proof rates on one cluster with reservations", "", _LEGEND, ""]
    wrong = [f"{row.case}: {row.mismatch}" for row in rows if row.mismatch]
    if wrong:
        parts += [f"**{len(wrong)} MISMATCHES**", "", *(f"- {text}" for text in wrong), ""]
    if not rows:
        return "\n".join([*parts, "No rows.", ""])
    parts += [*circumstances(rows), ""]
    for seconds, rival in sorted({(row.cell.seconds, row.cell.rival) for row in rows}, reverse=True):
        own = [row for row in rows if (row.cell.seconds, row.cell.rival) == (seconds, rival)]
        parts += [f"## {seconds:g} s for each instance{'' if rival else ', CP-SAT left out'}", ""]
        parts += [*verdicts(own), ""]
        for name, plan in PLANS.items():
            drawn = [row for row in own if row.plan == name]
            if drawn:
                parts += [f"### {plan.title}", "", *_section(name, drawn), ""]
    return "\n".join(parts)


def _section(name: str, rows: Sequence[ReservationRow]) -> Iterator[str]:
    cell, seeds = rows[0].cell, len({row.seed for row in rows})
    jobs = " ".join(map(str, sorted({row.cell.jobs for row in rows})))
    yield f"    python -m benchmarks.proof_rates.mosp.reservations --rows reservations.jsonl --plan {name} \\"
    yield f"        --jobs {jobs} --seeds {seeds} --seconds {cell.seconds:g}{'' if cell.rival else ' --no-rival'}"
    yield ""
    yield f"{len(rows)} instances, one thread, machine load {load_range([row.load for row in rows])}."
    yield ""
    yield from _table(("n",), _groups(rows, lambda row: (row.cell.jobs,)), rows)
    yield ""
    if len({row.cell.availability for row in rows}) > 1:
        yield from _table(("n", "m"), _groups(rows, _size), rows)
        yield ""
        yield from _table(("n", "class", "releases"), _groups(rows, _class), rows)
        yield ""
    yield endings(rows)
    yield ""
    if all(row.cell.rival for row in rows):
        yield from _by_one(rows)
    spent = ", ".join(f"{stage} {percent(Fraction(share), 0)}" for stage, share in shares(rows).items())
    rechecks = [row.recheck_seconds for row in rows]
    yield f"Where the time goes: {spent}. Re-check of a bound: {fmean(rechecks):.2f} s, at worst {max(rechecks):.1f} s."


def _by_one(rows: Sequence[ReservationRow]) -> Iterator[str]:
    """How many only one of both proved, and which instances these are where it was CP-SAT."""
    own = sum(row.own.proven and not row.rival.proven for row in rows)
    missed = [row for row in rows if row.rival.proven and not row.own.proven]
    yield f"Proven by `oas.solve` and not by CP-SAT alone: {own}. The other way round: {len(missed)}."
    yield ""
    yield from (f"- {row.case}: {row.rival.upper} in {row.rival.seconds:.1f} s" for row in missed)
    yield from [""] if missed else []


def _size(row: ReservationRow) -> tuple[Any, ...]:
    return row.cell.jobs, PROCESSORS[row.seed % len(PROCESSORS)]


def _class(row: ReservationRow) -> tuple[Any, ...]:
    return row.cell.jobs, row.cell.availability, "yes" if row.cell.releases else "no"


def _groups(
    rows: Sequence[ReservationRow], head: Callable[[ReservationRow], tuple[Any, ...]]
) -> dict[tuple[Any, ...], list[ReservationRow]]:
    groups: dict[tuple[Any, ...], list[ReservationRow]] = {}
    for row in sorted(rows, key=head):
        groups.setdefault(head(row), []).append(row)
    return groups


def _table(
    head: Sequence[str], groups: dict[tuple[Any, ...], list[ReservationRow]], rows: Sequence[ReservationRow]
) -> Iterator[str]:
    yield f"| {' | '.join((*head, *_COLUMNS))} |"
    yield "|" + "---|" * (len(head) + len(_COLUMNS))
    for cells, own in groups.items():
        yield _line(cells, own)
    yield _line(("all",) * len(head), rows)


def _line(head: Iterable[object], rows: Sequence[ReservationRow]) -> str:
    done = [row for row in rows if row.own.proven]
    certified = sum(row.certified for row in done)
    rest = [row.certified_gap for row in rows if not row.own.proven]
    seconds = [row.own.seconds for row in rows]
    cells = (
        *head,
        len(rows),
        len(done),
        certified,
        len(done) - certified,
        *_gaps(rest),
        f"{fmean(seconds):.1f}",
        f"{max(seconds):.1f}",
        *_rival(rows),
        sum(bool(row.mismatch) for row in rows),
    )
    return f"| {' | '.join(map(str, cells))} |"


def _rival(rows: Sequence[ReservationRow]) -> tuple[Any, ...]:
    """What CP-SAT made of these rows; dashes where it was left out."""
    if not all(row.cell.rival for row in rows):
        return ("–",) * 6
    done = [row for row in rows if row.rival.proven]
    quick = sum(row.rival_proof == ProofKind.CERTIFICATE for row in done)
    rest = [row.rival.gap for row in rows if not row.rival.proven]
    return (len(done), quick, len(done) - quick, *_gaps(rest), f"{fmean(row.rival.seconds for row in rows):.1f}")


def _gaps(gaps: Sequence[Fraction | None]) -> tuple[str, str]:
    """Write mean and greatest; dashes where there is no row, or one without a bound or a schedule."""
    known = [gap for gap in gaps if gap is not None]
    if not known or len(known) < len(gaps):
        return "–", "–"
    return percent(sum(known, Fraction(0)) / len(known)), percent(max(known))
