"""The rows as a page of Markdown: mismatches first, then for each limit requirements and a table for each plan."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING

from benchmarks.proof_rates.coallocation.saturation.plans import PERCENTS, PLANS, THRESHOLDS
from benchmarks.proof_rates.coallocation.saturation.targets import verdicts
from benchmarks.proof_rates.shared.stages import shares
from benchmarks.proof_rates.shared.targets import percent
from benchmarks.proof_rates.shared.text import circumstances, load_range

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from benchmarks.proof_rates.coallocation.saturation.rows import SaturationRow

_COLUMNS = (
    "threshold",
    "η %",
    "seeds",
    "instances",
    "proven",
    "combinatorial",
    "by certificate",
    "on a word",
    "mean certified gap",
    "largest",
    "mean s",
    "worst s",
    "mismatches",
)
_LEGEND = """\
OAS section 4 instances on 3 clusters of 4 nodes with tight bandwidth (`oas generate section4`), under the policy
`slowdown`: links may be asked for more than they have, up to bandwidth / threshold, and saturated ones slow jobs down.
Each is solved by `oas.solve` as it stands, one thread, and no two of a size have the same seed. Times are wall time
and include heuristics; compiled code is loaded before the clock starts.

*Combinatorial*: of the proven, those that a bound without any search meets; counted in *by certificate* too. *By
certificate*: exact arithmetic, without a solver, confirmed the bound again after the solve. *On a word*: the bound's
last step is the word of a complete search (ours, in integers, or a solver's). *Certified gap*: makespan / confirmed
bound - 1, over all instances, 0 where the certificate proves the optimum. *Mismatch*: a bound that the re-check does
not confirm or that is above the schedule, a schedule that the verifier refuses, or an error."""


def report(rows: Sequence[SaturationRow]) -> str:
    """Return the page."""
    parts = ["# Proof rates where saturated links slow jobs down", "", _LEGEND, ""]
    wrong = [f"{row.case}: {row.mismatch}" for row in rows if row.mismatch]
    if wrong:
        parts += [f"**{len(wrong)} MISMATCHES**", "", *(f"- {text}" for text in wrong), ""]
    if not rows:
        return "\n".join([*parts, "No rows.", ""])
    parts += [*circumstances(rows), ""]
    for seconds in sorted({row.cell.seconds for row in rows}, reverse=True):
        own = [row for row in rows if row.cell.seconds == seconds]
        parts += [f"## {seconds:g} s for each instance", "", *verdicts(own), ""]
        for name, plan in PLANS.items():
            measured = [row for row in own if row.plan == name]
            if measured:
                parts += [f"### {plan.title}", "", *_section(name, measured), ""]
    return "\n".join(parts)


def _section(name: str, rows: Sequence[SaturationRow]) -> Iterator[str]:
    seeds = max(sum(row.cell == cell for row in rows) for cell in {row.cell for row in rows})
    yield f"    python -m benchmarks.proof_rates.coallocation.saturation --rows saturation.jsonl --plan {name} \\"
    yield f"        --seeds {seeds} --seconds {rows[0].cell.seconds:g}"
    yield ""
    yield f"Machine load {load_range([row.load for row in rows])}."
    yield ""
    yield f"| {' | '.join(_COLUMNS)} |"
    yield "|" + "---|" * len(_COLUMNS)
    for threshold, size in product(THRESHOLDS, PERCENTS):
        own = [row for row in rows if (row.cell.threshold, row.cell.percent) == (threshold, size)]
        if own:
            numbers = sorted(row.seed for row in own)
            yield _line((threshold or "none", size, f"{numbers[0]}–{numbers[-1]}"), own)
    yield _line(("all", "", ""), rows)
    yield ""
    spent = ", ".join(f"{stage} {percent(Fraction(share), 0)}" for stage, share in shares(rows).items())
    rechecks = [row.recheck_seconds for row in rows]
    yield f"Closed by: {_closed(rows)}. Where the time goes: {spent}."
    yield f"Re-check of a bound: {fmean(rechecks):.2f} s, at worst {max(rechecks):.1f} s."
    still = [row for row in rows if not row.own.proven]
    if still:
        yield ""
        yield f"Open: {'; '.join(f'seed {row.seed} ({percent(row.certified_gap)})' for row in still)}."


def _closed(rows: Sequence[SaturationRow]) -> str:
    names = Counter(row.closed_by for row in rows if row.own.proven)
    return ", ".join(f"{name} {count}" for name, count in names.most_common()) or "–"


def _line(head: Iterable[object], rows: Sequence[SaturationRow]) -> str:
    done = [row for row in rows if row.own.proven]
    certified = sum(row.certified for row in done)
    gaps = [row.certified_gap for row in rows]
    known = [gap for gap in gaps if gap is not None]
    without = f", {len(gaps) - len(known)} without" if len(known) < len(gaps) else ""
    seconds = [row.own.seconds for row in rows]
    cells = (
        *head,
        len(rows),
        len(done),
        sum(row.own.upper == row.combinatorial for row in done),
        certified,
        len(done) - certified,
        percent(sum(known, Fraction(0)) / len(known) if known else None) + without,
        percent(max(known, default=None)),
        f"{fmean(seconds):.1f}",
        f"{max(seconds):.1f}",
        sum(bool(row.mismatch) for row in rows),
    )
    return f"| {' | '.join(map(str, cells))} |"
