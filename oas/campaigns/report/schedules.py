"""Instances and schedules as the page holds them: small, and exact to the tick."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate, zip_longest
from math import lcm
from typing import TYPE_CHECKING, Any

from oas.campaigns.report.page_parts import page_parts
from oas.core.errors import LargerThanReadError
from oas.plots.lanes import boxes_of, chart_style, frame_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from oas.campaigns.ledger import Ledger
    from oas.campaigns.report.frame import Run, Runs
    from oas.core.instances import Instance
    from oas.core.schedule import Schedule

RESERVED = -1
"""In place of a job: processors that a reservation holds."""
MOST_BYTES = 12_000_000
"""Of schedules on a page, about."""
_BYTES_PER_BOX = 24
_EXACT = 1 << 53
"""Integers below are exact in JavaScript."""


def pack_instance(instance: Instance, label: str) -> dict[str, Any]:
    """Return the parts of an instance that a Gantt chart needs: clusters with sizes, jobs, and their owners."""
    packed: dict[str, Any] = {
        "name": label,
        "clusters": [[name, size] for name, size in instance.cluster_sizes],
        "jobs": [job.id for job in instance.jobs],
    }
    return packed | page_parts(instance.problem).pack(instance)


def pack_schedule(instance: Instance, schedule: Schedule) -> dict[str, Any]:
    """Return a schedule as rectangles in ticks.

    ``per`` ticks are one unit of time; ``boxes`` are runs of six integers: job (or `RESERVED`), cluster, first node,
    number of nodes, start, duration. Without ``per`` the times are rounded: ticks so fine are beyond JavaScript.
    """
    jobs = [
        (box.job, box.cluster, box.first, box.count, box.start, box.end)
        for box in boxes_of(frame_of(instance), schedule)
    ]
    reserved = chart_style(instance).reserved(instance, schedule)
    boxes = jobs + [(RESERVED, box.cluster, box.first, box.count, box.start, box.end) for box in reserved]
    per = lcm(*(moment.denominator for box in boxes for moment in box[4:]))
    exact = per < _EXACT and all(box[5] * per < _EXACT for box in boxes)
    flat: list[int | float] = []
    for *place, start, end in boxes:
        flat += [*place, *(int(one * per) if exact else float(one) for one in (start, end - start))]
    return {"per": per, "boxes": flat} if exact else {"boxes": flat}


def pack_schedules(runs: Runs, ledger: Ledger, most: int = MOST_BYTES) -> tuple[dict[int, dict[str, Any]], int]:
    """Return the schedules that fit about `most` bytes, by their run's place in `runs`, and how many are left out."""
    chosen, left = _chosen(runs.runs, runs.instances, most)
    by_key = {runs.runs[place].record.key: place for place in chosen}
    found = {}
    for record in ledger.records(by_key.keys(), with_results=True):
        try:
            result = record.unpacked()
        except LargerThanReadError:  # processors of many wide jobs, one by one
            left += 1
            continue
        if result is not None and result.schedule is not None:
            run = runs.runs[by_key[record.key]]
            found[by_key[record.key]] = pack_schedule(runs.instances[run.order.digest], result.schedule)
    return dict(sorted(found.items())), left


def _chosen(runs: Sequence[Run], instances: Mapping[str, Instance], most: int) -> tuple[list[int], int]:
    """The best of every instance, then the second best of every instance, and so on, as long as there is room."""
    by_instance: dict[str, list[tuple[tuple[Any, ...], int]]] = {}
    for place, run in enumerate(runs):
        if run.objective is not None:
            by_instance.setdefault(run.order.digest, []).append((_rank(run), place))
    rounds = zip_longest(*(sorted(own) for own in by_instance.values()))
    ordered = [one[1] for row in rounds for one in row if one is not None]
    sizes = {digest: _BYTES_PER_BOX * len(instance.jobs) for digest, instance in instances.items()}
    filled = accumulate(sizes[runs[place].order.digest] for place in ordered)
    chosen = [place for place, size in zip(ordered, filled, strict=True) if size <= most]
    return chosen, len(ordered) - len(chosen)


def _rank(run: Run) -> tuple[Any, ...]:
    """An exact run comes first, then heuristics from the best."""
    return (run.record.kind != "exact" or run.record.repetition > 0, run.record.repetition, run.objective)


def labels(instances: Mapping[str, Instance]) -> dict[str, str]:
    """Return a name for each digest; equal names are extended by the instances' traits, then by digests."""
    plain = {digest: instance.name or "unnamed" for digest, instance in instances.items()}
    fuller = _told_apart(
        plain, {digest: page_parts(instance.problem).trait(instance) for digest, instance in instances.items()}
    )
    return _told_apart(fuller, {digest: digest[:8] for digest in instances})


def _told_apart(names: Mapping[str, str], traits: Mapping[str, str]) -> dict[str, str]:
    counts = Counter(names.values())
    return {key: name if counts[name] == 1 else f"{name} · {traits[key]}" for key, name in names.items()}


def js_number(value: Fraction | None) -> int | str | None:
    """Return an exact number for the page: an integer where JavaScript has it, else text such as ``37/30``."""
    if value is None:
        return None
    return int(value) if value.denominator == 1 and abs(value) < _EXACT else str(value)
