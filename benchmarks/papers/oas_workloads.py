"""OAS paper, section 4.2: exact schedules and six heuristics on six workloads.

The section's statements about its figure are tested on `oas.generate.workload`, because the paper's workloads are lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.papers.experiment import Statement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.papers.experiment import OasRow

HEURISTICS = ("FCFS", "SJF", "BJF", "FPFS", "SPT", "LPT")
EXACT = "exact"
Table = dict[str, dict[int, "OasRow"]]


def by_method(rows: Sequence[OasRow]) -> Table:
    """Return the rows by method and number of the workload."""
    found: Table = {}
    for row in rows:
        found.setdefault(row.method, {})[row.parameters["number"]] = row
    return found


def statements(rows: Sequence[OasRow]) -> list[Statement]:
    """Test the section's statements."""
    table = by_method(rows)
    return [
        *_oas_is_best(table),
        _compaction(table),
        _techniques_differ(table),
        _suits(table, 1, ("FPFS",), "WL-1 suits techniques that match free resources"),
        _suits(table, 2, ("SJF", "SPT"), "WL-2 suits techniques that prefer small jobs"),
    ]


def tables(rows: Sequence[OasRow]) -> str:
    """Return the figure's quantities: makespan in slots, compaction, executed makespan in units of the slot."""
    table = by_method(rows)
    numbers = sorted(table[EXACT])
    slot = 335_000
    lines = [
        "Makespan in slots / executed makespan in slots / compaction.",
        "",
        f"| method | {' | '.join(f'WL-{number}' for number in numbers)} |",
        f"|---|{'---|' * len(numbers)}",
    ]
    for name in (EXACT, *HEURISTICS):
        cells = []
        for number in numbers:
            row = table[name][number]
            mark = " ✓" if row.optimal else ""
            slots, run = row.makespan / slot, float(row.executed / slot)
            cells.append(f"{slots}{mark} / {run:.2f} / {100 * float(row.compaction):.1f} %")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", "✓: proven optimal."])


def _oas_is_best(table: Table) -> Iterator[Statement]:
    for says, value in (("slotted", "makespan"), ("executed", "executed")):
        beaten = [
            f"{name} on WL-{number}"
            for number, exact in table[EXACT].items()
            for name in HEURISTICS
            if getattr(table[name][number], value) < getattr(exact, value)
        ]
        text = f"best on {len(table[EXACT]) - len({one.split()[-1] for one in beaten})} of {len(table[EXACT])}"
        remark = f"beaten by {', '.join(beaten)}: the optimum is of the slotted makespan" if beaten else ""
        yield Statement("4.2", f"OAS obtains good makespans in all cases ({says})", "yes", text, not beaten, remark)


def _compaction(table: Table) -> Statement:
    shortfalls = [
        float(max(table[name][number].compaction for name in HEURISTICS) - exact.compaction)
        for number, exact in table[EXACT].items()
    ]
    worst = max(shortfalls)
    text = f"highest on {sum(one <= 0 for one in shortfalls)} of {len(shortfalls)}"
    remark = (
        f"at most {100 * worst:.1f} points below the best heuristic: slower nodes are busy longer" if worst > 0 else ""
    )
    return Statement(
        "4.2", "OAS obtains good compaction in all cases (within 5 points)", "yes", text, worst < 0.05, remark
    )


def _techniques_differ(table: Table) -> Statement:
    """Test that no technique is best on all workloads: best and worst rank of each technique."""
    places: dict[str, list[int]] = {name: [] for name in HEURISTICS}
    for number in table[EXACT]:
        for name in HEURISTICS:
            better = sum(table[other][number].makespan < table[name][number].makespan for other in HEURISTICS)
            places[name].append(better + 1)
    text = ", ".join(f"{name} {min(own)}–{max(own)}" for name, own in places.items())
    agrees = all(max(own) > 1 for own in places.values())
    says = "a technique that does well on one workload does badly on another (places among the six)"
    return Statement("4.2", says, "yes", text, agrees)


def _suits(table: Table, number: int, names: tuple[str, ...], says: str) -> Statement:
    makespans = {name: table[name][number].makespan for name in HEURISTICS}
    ours = max(makespans[name] for name in names)
    others = min(makespan for name, makespan in makespans.items() if name not in names)
    text = f"{', '.join(names)} {float(ours / 335_000):.0f} slots, the next {float(others / 335_000):.0f}"
    remark = "the workload is ours, made for this purpose"
    return Statement("4.2", says, "yes", text, ours < others, remark)
