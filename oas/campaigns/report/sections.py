"""Sections of the report's page: tables of methods and runs, Gantt charts, plots, circumstances."""

from __future__ import annotations

from collections import Counter
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any

from oas.campaigns.report.frame import groups, page_parts
from oas.campaigns.report.page import PageSection
from oas.campaigns.report.summary import GAP_REMARK, column, facts, method_columns, notes, summarise
from oas.core.errors import LargerThanReadError
from oas.core.formats import show_time
from oas.plots import comparison_figure
from oas.show.text_tables import MISSING, percent, seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from fractions import Fraction

    from matplotlib.figure import Figure

    from oas.campaigns.declaration import Campaign
    from oas.campaigns.ledger import Ledger
    from oas.campaigns.report.frame import Run, Runs
    from oas.core.instances import Instance

MOST_CHARTS = 12
"""Maximum number of instances whose schedules are drawn."""
MOST_JOBS = 400
"""Maximum number of jobs of these instances together: 0.5 to 2 MB of the page."""


def page_sections(
    campaign: Campaign, runs: Runs, ledger: Ledger, plots: Sequence[tuple[str, Figure]]
) -> list[PageSection]:
    """Return the sections; `plots` are titles and figures."""
    names = labels(runs.instances)
    charts = list(schedule_charts(runs, ledger, names))
    drawn = (
        f"{len(charts)} of {len(runs.instances)} instances, with their best exact and their best heuristic schedule."
    )
    remark = "A gap with ≤ is the distance from the best proven lower bound, where no optimum is proven."
    known = groups()
    method_remarks = [f"{known[name].title}: {known[name].remark}" for name in runs.groups if known[name].remark]
    sections = [
        PageSection("methods", "Methods", notes(runs), sortable=_methods(runs), remarks=[GAP_REMARK, *method_remarks]),
        PageSection("schedules", "Schedules", figures=charts, side_by_side=True, remarks=[drawn]),
        PageSection("plots", "Plots", figures=plots, side_by_side=True),
        PageSection("runs", "Every run", sortable=_runs(runs, names), remarks=[remark]),
        PageSection("facts", "Circumstances", facts=facts(campaign, runs)),
    ]
    return [section for section in sections if section.name != "plots" or plots]


def tiles_of(runs: Runs) -> list[tuple[str, ...]]:
    """Return the numbers at the top of the page, each with a description and a style."""
    proven = sum(reference.optimum is not None for reference in runs.references.values())
    counted = len({run.relaxed for run in runs.runs if run.record.kind == "exact"})
    planned = len(runs.runs) + sum(runs.missing.values())
    methods = {run.order.method.label for run in runs.runs}
    tiles: list[tuple[str, ...]] = [
        (f"{len(runs.runs):,}", f"of {planned:,} runs made", "warning" if runs.missing else ""),
        (f"{len(runs.instances):,}", "instances"),
        (f"{len(methods):,}", "methods"),
        (f"{proven:,}", f"optima proven, of {counted:,} instances that exact methods were run on"),
    ]
    if stale := sum(runs.stale.values()):
        tiles.append((f"{stale:,}", "stale runs left out", "warning"))
    if count := len(runs.contradictions):
        tiles.append((f"{count:,}", "contradiction" if count == 1 else "contradictions", "alarm"))
    return tiles


_FORMATS: dict[str, Callable[[Any], str]] = {
    "number": "{:,}".format,
    "exact": show_time,
    "percent": lambda value: f"{percent(value)} %",
    "gap": str,
    "seconds": seconds,
}
_PROPERTIES = ("title", "group", "hint", "strong", "wide")


def _sortable(columns: Sequence[dict[str, Any]], rows: Sequence[Any]) -> dict[str, Any]:
    """Return a table for the page's script."""
    entries: list[dict[str, Any]] = []
    cells: list[Sequence[str | int]] = []
    for declared in columns:
        kind, values = declared["kind"], [declared["cell"](row) for row in rows]
        if declared.get("optional") and not any(values):
            continue
        texts = [MISSING if value is None else _FORMATS.get(kind, str)(value) for value in values]
        entry = {name: declared[name] for name in _PROPERTIES if name in declared} | {"figures": kind in _FORMATS}
        if kind == "choice":
            places = {text: number for number, text in enumerate(dict.fromkeys(texts))}
            entries.append(entry | {"choices": list(places)})
            cells.append([places[text] for text in texts])
        else:
            entries.append(entry)
            cells.append(texts)
    return {"columns": entries, "rows": list(zip(*cells, strict=True))}


def _methods(runs: Runs) -> dict[str, Any]:
    rows, known = summarise(runs), groups()
    columns = [
        column("problem", lambda row: known[row.group].title, "choice"),
        column("kind", lambda row: row.kind, "choice"),
        *method_columns(next((known[row.group] for row in rows if row.gap_with_locality.count), None)),
    ]
    return _sortable(columns, rows)


def _runs(runs: Runs, names: Mapping[str, str]) -> dict[str, Any]:
    gap_hint = "to the proven optimum; with ≤, to the best proven bound, which may be weak"
    columns = [
        column("instance", lambda run: names[run.order.digest], "choice", wide=True),
        column("problem", lambda run: groups()[run.group].title, "choice"),
        column("method", lambda run: run.order.method.label, "choice", strong=True),
        column("seed", lambda run: run.record.seed, "number", optional=True),
        column("rep.", lambda run: run.record.repetition, "number", hint="repetition", optional=True),
        column("outcome", _outcome, "choice"),
        column("makespan", lambda run: run.objective, "exact"),
        column("lower bound", lambda run: run.lower_bound, "exact", hint="proven by this run"),
        column("gap", _gap, "gap", hint=gap_hint),
        column("proof", lambda run: run.record.proof.replace("_", " "), "choice"),
        column("seconds", lambda run: run.record.solve_seconds, "seconds", hint="without second opinions"),
        column("second opinions", lambda run: run.record.check_seconds, "seconds", optional=True),
        column("MiB", _mebibytes, "number", hint="most memory seen, with Python and libraries"),
        column("message", lambda run: run.record.message, wide=True),
    ]
    return _sortable(columns, runs.runs)


def _outcome(run: Run) -> str:
    """Return the status of a run's schedule, and the outcome of the run unless it finished."""
    status = "no schedule" if run.objective is None else run.record.status
    return (status if run.outcome in ("finished", status) else f"{status}, {run.outcome}").replace("_", " ")


def _gap(run: Run) -> str | None:
    """Return the gap to the optimum; if it is unknown, the distance from the bound."""
    if run.gap is not None:
        return f"{percent(float(run.gap))} %"
    return None if run.bound_gap is None else f"≤ {percent(float(run.bound_gap))} %"


def _mebibytes(run: Run) -> int | None:
    return None if run.record.peak_memory is None else run.record.peak_memory >> 20


def schedule_charts(runs: Runs, ledger: Ledger, names: Mapping[str, str]) -> Iterator[tuple[str, Figure]]:
    """Yield titles and Gantt charts of the best exact and the best heuristic schedule of some instances."""
    drawn = jobs = 0
    for pair in _pairs(runs):
        instance = runs.instances[pair[0].order.digest]
        if drawn == MOST_CHARTS:
            return
        if jobs + len(instance.jobs) > MOST_JOBS:
            continue
        records = {record.key: record for record in ledger.records({run.record.key for run in pair}, with_results=True)}
        try:
            results = [records[run.record.key].unpacked() for run in pair]
        except LargerThanReadError:  # a result that lists each processor of many wide jobs
            continue
        schedules = {
            run.order.method.label: result.schedule
            for run, result in zip(pair, results, strict=True)
            if result is not None and result.schedule is not None
        }
        if not schedules:
            continue
        drawn, jobs = drawn + 1, jobs + len(instance.jobs)
        bound = pair[0].reference.bound
        if bound is not None and any(schedule.makespan < bound for schedule in schedules.values()):
            bound = None  # of another problem, or a contradiction, which the report notes
        claimed = any(result is not None and result.is_claimed for result in results)
        figure = comparison_figure(instance, schedules, lower_bound=bound, claimed=claimed)
        yield names[instance.digest], figure


def _pairs(runs: Runs) -> Iterator[list[Run]]:
    """Yield the best exact and the best heuristic run of each instance with a schedule, sample by sample in turn."""
    by_sample: dict[str, dict[str, list[Run]]] = {}
    for run in runs.runs:
        if run.objective is not None:
            by_sample.setdefault(run.sample, {}).setdefault(run.order.digest, []).append(run)
    in_turn = zip_longest(*(of_sample.values() for of_sample in by_sample.values()))
    for instance_runs in filter(None, chain.from_iterable(in_turn)):
        exact = [run for run in instance_runs if run.record.kind == "exact"]
        heuristics = [run for run in instance_runs if run.record.kind != "exact"]
        yield [min(kind, key=_rank) for kind in (exact, heuristics) if kind]


def _rank(run: Run) -> tuple[bool, Fraction | None]:
    """Return the sort key that puts short makespans first, but after them those of methods that may break locality."""
    return run.with_locality is not None, run.objective


def labels(instances: Mapping[str, Instance]) -> dict[str, str]:
    """Return a unique name for each digest; equal names are extended by the instances' traits, then by digests."""
    names = {digest: instance.name or "unnamed" for digest, instance in instances.items()}
    traits = {digest: page_parts(instance.problem).trait(instance) for digest, instance in instances.items()}
    return _with_traits(_with_traits(names, traits), {digest: digest[:8] for digest in instances})


def _with_traits(names: Mapping[str, str], traits: Mapping[str, str]) -> dict[str, str]:
    counts = Counter(names.values())
    return {key: name if counts[name] == 1 else f"{name} · {traits[key]}" for key, name in names.items()}
