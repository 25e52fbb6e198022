"""The rows as a page of Markdown: for each section optima, heuristics, executed plans; the workloads one by one."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from benchmarks.papers.saturation.cases import PLANS
from benchmarks.papers.saturation.rows import NO_LINKS
from benchmarks.proof_rates.shared.text import circumstances, load_range

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.papers.saturation.rows import Made, SectionRow

SLOT = 335_000  # seconds: η of the workloads
_LEGEND = """\
The OAS paper forbids saturated links. Here the same instances also run under `slowdown`: links may be asked for up to
bandwidth / threshold (*none*: for any amount), and saturated ones slow jobs down. Each instance is solved under all
four policies and once more with links that carry anything, one thread; what is feasible or proven under one policy is
carried to the others where it holds. A policy's *optimum* is its shortest known schedule, where it is not proven too.

*Proven*: a bound under this policy or one that allows more, or the bound without links, meets the schedule. *By
certificate*: the former does, and exact arithmetic confirmed it again.

*Relative to forbid*: optimum / optimum under forbid, mean and least, over the instances on which both are proven in
brackets. *Shorter*: instances on which it is below that under forbid. *Compaction*: share of nodes times makespan in
which nodes are used. *Executed*: a plan's nodes and order, run on line without looking ahead (`oas execute`): jobs
start as soon as those before them on their nodes have ended, and run as fast as links let them. *Cannot run*: a job
alone asks a link for more than the policy allows. *Narrow links*: as narrow as they can be for every job to have an
allocation where saturation is forbidden."""


def report(rows: Sequence[SectionRow]) -> str:
    """Return the page."""
    parts = ["# Section 4 with saturated links that slow down", "", _LEGEND, ""]
    wrong = [f"{row.case}: {row.mismatch}" for row in rows if row.mismatch]
    if wrong:
        parts += [f"**{len(wrong)} MISMATCHES**", "", *(f"- {text}" for text in wrong), ""]
    if not rows:
        return "\n".join([*parts, "No rows.", ""])
    parts += [*circumstances(rows), ""]
    for name, plan in PLANS.items():
        for setting in dict.fromkeys(cell.setting for cell in plan.cells):
            own = [row for row in rows if (row.plan, row.cell.setting) == (name, setting)]
            if own:
                parts += [f"## {plan.title}, {setting}", "", *_section(name, own), ""]
    return "\n".join(parts)


def _section(name: str, rows: Sequence[SectionRow]) -> Iterator[str]:
    seeds = max(sum(row.cell == cell for row in rows) for cell in {row.cell for row in rows})
    limits = ", ".join(f"{one:g}" for one in sorted({row.cell.seconds for row in rows}))
    options = f"--plan {name} --seeds {seeds} --seconds {limits}"
    yield f"    python -m benchmarks.papers.saturation --rows section4.jsonl {options}"
    yield ""
    yield (
        f"{len(rows)} instances, {limits} s for each solve, machine load {load_range([row.load for row in rows])}; "
        f"an instance took {fmean(row.seconds for row in rows):.1f} s in the mean, at most "
        f"{max(row.seconds for row in rows):.1f} s. {sum(bool(row.mismatch) for row in rows)} mismatches."
    )
    yield ""
    yield from _optima(rows)
    yield ""
    yield "Heuristics: makespan / optimum under the same policy, mean (largest); compaction."
    yield ""
    yield from _heuristics(rows)
    yield ""
    yield "Plans made under forbid and without links, executed under each policy."
    yield ""
    yield from _executed(rows)
    if name == "4.2":
        yield ""
        yield "Makespan in slots / compaction. ✓: proven optimal."
        yield ""
        yield from _workloads(rows)


def _optima(rows: Sequence[SectionRow]) -> Iterator[str]:
    yield "| η % | policy | instances | proven | by certificate | relative to forbid | least | shorter | compaction |"
    yield "|---|---|---|---|---|---|---|---|---|"
    groups: dict[str, list[SectionRow]] = {}
    for row in rows:
        groups.setdefault(row.cell.percent, []).append(row)
    if len(groups) > 1:
        groups["all"] = list(rows)
    for head, own in groups.items():
        for place, policy in enumerate(_policies(own)):
            yield _line(head, policy, len(own), *_optimum(own, place))
        yield _line(head, NO_LINKS, len(own), *_no_links(own))


def _optimum(rows: Sequence[SectionRow], place: int) -> tuple[object, ...]:
    pairs = [(row.policies[0], row.policies[place]) for row in rows]
    ratios = [one.best.length / forbid.best.length for forbid, one in pairs]
    settled = [(row.settled(forbid), row.settled(one)) for row, (forbid, one) in zip(rows, pairs, strict=True)]
    both = [ratio for ratio, known in zip(ratios, settled, strict=True) if all(known)]
    shown = f"{fmean(map(float, ratios)):.3f}" + (f" ({fmean(map(float, both)):.3f})" if both else "")
    return (
        sum(own for _, own in settled),
        sum(one.proven and one.certified for _, one in pairs),
        shown,
        f"{float(min(ratios)):.3f}",
        sum(ratio < 1 for ratio in ratios),
        f"{100 * fmean(one.best.compaction for _, one in pairs):.1f} %",
    )


def _no_links(rows: Sequence[SectionRow]) -> tuple[object, ...]:
    ratios = [row.plans[NO_LINKS].length / row.policies[0].best.length for row in rows]
    done = sum(row.no_links_lower == row.plans[NO_LINKS].makespan for row in rows)
    share = f"{100 * fmean(row.plans[NO_LINKS].compaction for row in rows):.1f} %"
    mean, shorter = fmean(map(float, ratios)), sum(ratio < 1 for ratio in ratios)
    return done, "–", f"{mean:.3f}", f"{float(min(ratios)):.3f}", shorter, share


def _heuristics(rows: Sequence[SectionRow]) -> Iterator[str]:
    policies = _policies(rows)
    yield _line("method", *policies)
    yield "|" + "---|" * (len(policies) + 1)
    yield _line("optimum", *(_against(rows, place, None) for place in range(len(policies))))
    for name in _methods(rows):
        yield _line(name, *(_against(rows, place, name) for place in range(len(policies))))


def _against(rows: Sequence[SectionRow], place: int, name: str | None) -> str:
    """Write a heuristic's ratios to the optimum and its compaction; the optimum's own for None."""
    pairs: list[tuple[Made, Made]] = []
    for row in rows:
        own = row.policies[place]
        made = own.best if name is None else own.heuristics.get(name)
        if made is not None:
            pairs.append((made, own.best))
    if not pairs:
        return "–"
    ratios = [float(made.length / best.length) for made, best in pairs]
    missing = "" if len(pairs) == len(rows) else f", {len(rows) - len(pairs)} without"
    return (
        f"{fmean(ratios):.3f} ({max(ratios):.3f}); {100 * fmean(made.compaction for made, _ in pairs):.1f} %{missing}"
    )


def _executed(rows: Sequence[SectionRow]) -> Iterator[str]:
    yield "| plan | run under | cannot run | executed / planned | executed / optimum | largest | at the optimum |"
    yield "|---|---|---|---|---|---|---|"
    for name in rows[0].policies[0].executed:
        for place, policy in enumerate(_policies(rows)):
            runs = [(row.policies[place].executed[name], row.policies[place].best) for row in rows]
            ran = [(run, row.plans[name], best) for (run, best), row in zip(runs, rows, strict=True) if run is not None]
            yield _line(name, policy, len(rows) - len(ran), *_run(ran))


def _run(ran: Sequence[tuple[Made, Made, Made]]) -> tuple[str, ...]:
    if not ran:
        return ("–",) * 4
    ratios = [float(run.length / best.length) for run, _, best in ran]
    return (
        f"{fmean(float(run.length / plan.length) for run, plan, _ in ran):.3f}",
        f"{fmean(ratios):.3f}",
        f"{max(ratios):.3f}",
        f"{sum(run.length == best.length for run, _, best in ran)} of {len(ran)}",
    )


def _workloads(rows: Sequence[SectionRow]) -> Iterator[str]:
    ordered = sorted(rows, key=lambda row: row.seed)
    yield _line("policy", "method", *(f"WL-{row.seed}" for row in ordered))
    yield "|" + "---|" * (len(ordered) + 2)
    for place, policy in enumerate(_policies(ordered)):
        own = [row.policies[place] for row in ordered]
        marks = (" ✓" if row.settled(one) else "" for row, one in zip(ordered, own, strict=True))
        yield _line(policy, "optimum", *(_slots(one.best) + mark for one, mark in zip(own, marks, strict=True)))
        for name in _methods(ordered):
            if any(name in one.heuristics for one in own):
                yield _line(policy, name, *(_slots(one.heuristics.get(name)) for one in own))


def _slots(made: Made | None) -> str:
    return "–" if made is None else f"{float(made.length / SLOT):g} / {100 * made.compaction:.1f} %"


def _policies(rows: Sequence[SectionRow]) -> list[str]:
    return [one.policy if "threshold" in one.policy else _bare(one.policy) for one in rows[0].policies]


def _bare(policy: str) -> str:
    return policy if policy == "forbid" else f"{policy}, threshold none"


def _methods(rows: Sequence[SectionRow]) -> list[str]:
    """Return every heuristic's name, in the order of listing."""
    return list(dict.fromkeys(name for row in rows for one in row.policies for name in one.heuristics))


def _line(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"
