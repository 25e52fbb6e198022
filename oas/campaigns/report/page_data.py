"""Data of the report's page as JSON: tables, instances, schedules. The page's script draws them."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate, zip_longest
from math import lcm
from typing import TYPE_CHECKING, Any

from oas.campaigns.report.frame import groups, page_parts
from oas.campaigns.report.summary import GAP_REMARK, column, facts, method_columns, notes, summarise
from oas.core.errors import LargerThanReadError
from oas.plots.axes import job_colour, text_colour
from oas.plots.lanes import boxes_of, chart_style, frame_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from oas.campaigns.declaration import Campaign
    from oas.campaigns.ledger import Ledger
    from oas.campaigns.report.frame import Run, Runs
    from oas.core.instances import Instance
    from oas.core.schedule import Schedule

RESERVED = -1
"""Job number of processors that are reserved."""
MOST_BYTES = 12_000_000
"""Approximate limit for the schedules on a page."""
_BYTES_PER_BOX = 24
_EXACT = 1 << 53
"""Smaller integers are exact in JavaScript."""
_COLOURS = 72  # distinct colours of the palette


def page_data(campaign: Campaign, runs: Runs, ledger: Ledger) -> dict[str, Any]:
    """Return the data of the page except its figures."""
    names = labels(runs.instances)
    schedules, left = pack_schedules(runs, ledger)
    places = {digest: place for place, digest in enumerate(runs.instances)}
    return {
        "name": campaign.name,
        "description": campaign.description,
        "tiles": _tiles(runs),
        "notes": notes(runs),
        "facts": facts(campaign, runs),
        "methods": _methods(runs),
        "runs": _runs(runs, names, schedules),
        "instances": [pack_instance(instance, names[digest]) for digest, instance in runs.instances.items()],
        "schedules": [_schedule(runs.runs[place], packed, places, place) for place, packed in schedules.items()],
        "left": left,
        "palette": [[job_colour(index), text_colour(job_colour(index))] for index in range(_COLOURS)],
    }


def _tiles(runs: Runs) -> list[list[str]]:
    """Return the numbers at the top of the page, each with a description and a style."""
    proven = sum(reference.optimum is not None for reference in runs.references.values())
    counted = len({run.relaxed for run in runs.runs if run.record.kind == "exact"})
    planned = len(runs.runs) + sum(runs.missing.values())
    methods = {run.order.method.label for run in runs.runs}
    tiles = [
        [f"{len(runs.runs):,}", f"of {planned:,} runs made", "warning" if runs.missing else ""],
        [f"{len(runs.instances):,}", "instances", ""],
        [f"{len(methods):,}", "methods", ""],
        [f"{proven:,}", f"optima proven, of {counted:,} instances that exact methods were run on", ""],
    ]
    if stale := sum(runs.stale.values()):
        tiles.append([f"{stale:,}", "stale runs left out", "warning"])
    if count := len(runs.contradictions):
        tiles.append([f"{count:,}", "contradiction" if count == 1 else "contradictions", "alarm"])
    return tiles


def _table(columns: Sequence[dict[str, Any]], rows: Sequence[Any], remarks: list[str]) -> dict[str, Any]:
    """Return a table; its rows contain indices of choices."""
    entries, cells = [], []
    for declared in columns:
        values = [declared["cell"](row) for row in rows]
        if declared.get("optional") and not any(values):
            continue
        entry = {name: value for name, value in declared.items() if name not in ("cell", "heading", "optional")}
        if declared["kind"] == "choice":
            entry["choices"] = list(dict.fromkeys(values))
            places = {value: place for place, value in enumerate(entry["choices"])}
            values = [places[value] for value in values]
        entries.append(entry)
        cells.append(values)
    return {"columns": entries, "rows": [list(row) for row in zip(*cells, strict=True)], "remarks": remarks}


def _methods(runs: Runs) -> dict[str, Any]:
    rows, known = summarise(runs), groups()
    columns = [
        column("problem", lambda row: known[row.group].title, "choice"),
        column("kind", lambda row: row.kind, "choice"),
        *method_columns(next((known[row.group] for row in rows if row.gap_with_locality.count), None)),
    ]
    remarks = [f"{known[name].title}: {known[name].remark}" for name in runs.groups if known[name].remark]
    return _table(columns, rows, [GAP_REMARK, *remarks])


def _runs(runs: Runs, names: Mapping[str, str], schedules: Mapping[int, Any]) -> dict[str, Any]:
    with_schedule = {runs.runs[place].record.key for place in schedules}
    gap_hint = "to the proven optimum; with ≤, to the best proven bound, which may be weak"
    columns = [
        column("instance", lambda run: names[run.order.digest], "choice", wide=True),
        column("problem", lambda run: groups()[run.group].title, "choice"),
        column("method", lambda run: run.order.method.label, "choice", strong=True),
        column("seed", lambda run: run.record.seed, "number", optional=True),
        column("rep.", lambda run: run.record.repetition, "number", hint="repetition", optional=True),
        column("outcome", _outcome, "choice"),
        column("makespan", lambda run: js_number(run.objective), "exact"),
        column("lower bound", lambda run: js_number(run.lower_bound), "exact", hint="proven by this run"),
        column("gap", _gap, "gap", hint=gap_hint),
        column("schedule", lambda run: int(run.record.key in with_schedule), "show"),
        column("proof", lambda run: run.record.proof.replace("_", " "), "choice"),
        column("seconds", lambda run: round(run.record.solve_seconds, 6), "seconds", hint="without second opinions"),
        column("second opinions", lambda run: round(run.record.check_seconds, 6), "seconds", optional=True),
        column("MiB", _mebibytes, "number", hint="most memory seen, with Python and libraries"),
        column("message", lambda run: run.record.message, wide=True),
    ]
    remark = "A gap with ≤ is the distance from the best proven lower bound, where no optimum is proven."
    return _table(columns, runs.runs, [remark])


def _outcome(run: Run) -> str:
    """Return the status of a run's schedule, and the outcome of the run unless it finished."""
    status = "no schedule" if run.objective is None else run.record.status
    return (status if run.outcome in ("finished", status) else f"{status}, {run.outcome}").replace("_", " ")


def _gap(run: Run) -> float | list[float] | None:
    """Return the gap to the optimum; if it is unknown, a list with the distance from the bound."""
    if run.gap is not None:
        return float(run.gap)
    return None if run.bound_gap is None else [float(run.bound_gap)]


def _mebibytes(run: Run) -> int | None:
    return None if run.record.peak_memory is None else run.record.peak_memory >> 20


def _schedule(run: Run, packed: dict[str, Any], places: Mapping[str, int], place: int) -> dict[str, Any]:
    """Return a schedule with the parts of its title; the bound belongs to the problem that its method solves."""
    bound = run.reference.optimum if run.reference.optimum is not None else run.reference.bound
    return {
        **packed,
        "run": place,
        "instance": places[run.order.digest],
        "exact": int(run.record.kind == "exact"),
        "promises": int(run.with_locality is None),
        "proven": int(run.reference.optimum is not None),
        "bound": js_number(bound),
    }


def pack_instance(instance: Instance, label: str) -> dict[str, Any]:
    """Return the parts of an instance for a Gantt chart: clusters with sizes, jobs, and their owners."""
    packed: dict[str, Any] = {
        "name": label,
        "clusters": [[name, size] for name, size in instance.cluster_sizes],
        "jobs": [job.id for job in instance.jobs],
    }
    return packed | page_parts(instance.problem).pack(instance)


def pack_schedule(instance: Instance, schedule: Schedule) -> dict[str, Any]:
    """Return a schedule as rectangles in ticks.

    ``per`` ticks are one unit of time. ``boxes`` is a flat list of six integers per rectangle: job (or `RESERVED`),
    cluster, first node, number of nodes, start, duration. Without ``per``, the times are floats, because their ticks
    are too small for JavaScript.
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
        flat += [*place, *(int(time * per) if exact else float(time) for time in (start, end - start))]
    return {"per": per, "boxes": flat} if exact else {"boxes": flat}


def pack_schedules(runs: Runs, ledger: Ledger, most: int = MOST_BYTES) -> tuple[dict[int, dict[str, Any]], int]:
    """Return the schedules that fit in about `most` bytes, by index of the run, and the number of other schedules."""
    chosen, left = _chosen(runs.runs, runs.instances, most)
    by_key = {runs.runs[place].record.key: place for place in chosen}
    schedules = {}
    for record in ledger.records(by_key.keys(), with_results=True):
        try:
            result = record.unpacked()
        except LargerThanReadError:  # a result that lists each processor of many wide jobs
            left += 1
            continue
        if result is not None and result.schedule is not None:
            place = by_key[record.key]
            schedules[place] = pack_schedule(runs.instances[runs.runs[place].order.digest], result.schedule)
    return dict(sorted(schedules.items())), left


def _chosen(runs: Sequence[Run], instances: Mapping[str, Instance], most: int) -> tuple[list[int], int]:
    """Choose the best run of every instance, then the second best of every instance, and so on, up to `most` bytes."""
    by_instance: dict[str, list[tuple[tuple[Any, ...], int]]] = {}
    for place, run in enumerate(runs):
        if run.objective is not None:
            by_instance.setdefault(run.order.digest, []).append((_rank(run), place))
    rounds = zip_longest(*map(sorted, by_instance.values()))
    ordered = [ranked[1] for row in rounds for ranked in row if ranked is not None]
    sizes = {digest: _BYTES_PER_BOX * len(instance.jobs) for digest, instance in instances.items()}
    filled = accumulate(sizes[runs[place].order.digest] for place in ordered)
    chosen = [place for place, size in zip(ordered, filled, strict=True) if size <= most]
    return chosen, len(ordered) - len(chosen)


def _rank(run: Run) -> tuple[Any, ...]:
    """Return the sort key that puts an exact run first, then heuristics by makespan."""
    return (run.record.kind != "exact" or run.record.repetition > 0, run.record.repetition, run.objective)


def labels(instances: Mapping[str, Instance]) -> dict[str, str]:
    """Return a unique name for each digest; equal names are extended by the instances' traits, then by digests."""
    names = {digest: instance.name or "unnamed" for digest, instance in instances.items()}
    traits = {digest: page_parts(instance.problem).trait(instance) for digest, instance in instances.items()}
    return _with_traits(_with_traits(names, traits), {digest: digest[:8] for digest in instances})


def _with_traits(names: Mapping[str, str], traits: Mapping[str, str]) -> dict[str, str]:
    counts = Counter(names.values())
    return {key: name if counts[name] == 1 else f"{name} · {traits[key]}" for key, name in names.items()}


def js_number(value: Fraction | None) -> int | str | None:
    """Return an exact number for the page: an integer that JavaScript can represent, or text such as ``37/30``."""
    if value is None:
        return None
    return int(value) if value.denominator == 1 and abs(value) < _EXACT else str(value)
