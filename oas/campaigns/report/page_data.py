"""The data of the page: tables, instances, schedules. Everything is plain JSON; the page's script draws it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.campaigns.report.page_parts import groups
from oas.campaigns.report.schedules import MOST_BYTES, js_number, labels, pack_instance, pack_schedules
from oas.campaigns.report.summary import GAP_REMARK, endings, facts, notes, summarise
from oas.core.result import ProofKind
from oas.plots.axes import job_colour, text_colour

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oas.campaigns.declaration import Campaign
    from oas.campaigns.ledger import Ledger
    from oas.campaigns.report.frame import Run, Runs
    from oas.campaigns.report.summary import MethodSummary

_COLOURS = 72  # distinct ones of the palette
_PROOFS = {
    "certificate": "re-checked in exact arithmetic without a solver",
    "brute force": "every schedule was enumerated",
    "solver": "rests on a solver's word",
}


def page_data(campaign: Campaign, runs: Runs, ledger: Ledger, most: int = MOST_BYTES) -> dict[str, Any]:
    """Return all that the page shows but its figures."""
    names = labels(runs.instances)
    schedules, left = pack_schedules(runs, ledger, most)
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
    """Numbers for the top of the page: the number, what it counts, and whether it is a warning."""
    proven = sum(one.optimum is not None for one in runs.references.values())
    counted = len({run.relaxed for run in runs.runs if run.record.kind == "exact"})
    asked = len(runs.runs) + sum(runs.missing.values())
    methods = {run.order.method.label for run in runs.runs}
    tiles = [
        [f"{len(runs.runs):,}", f"of {asked:,} runs made", "warning" if runs.missing else ""],
        [f"{len(runs.instances):,}", "instances", ""],
        [f"{len(methods):,}", "methods", ""],
        [f"{proven:,}", f"optima proven, of {counted:,} instances that exact methods were run on", ""],
    ]
    if stale := sum(runs.stale.values()):
        tiles.append([f"{stale:,}", "stale runs left out", "warning"])
    if found := len(runs.contradictions):
        tiles.append([f"{found:,}", "contradiction" if found == 1 else "contradictions", "alarm"])
    return tiles


def _column(title: str, kind: str = "text", **more: Any) -> dict[str, Any]:
    return {"title": title, "kind": kind, **more}


def _choices(title: str, values: Sequence[str], **more: Any) -> dict[str, Any]:
    """A column of few different values: rows hold their places, and the page offers them for filtering."""
    return _column(title, "choice", choices=list(dict.fromkeys(values)), **more)


def _table(columns: list[dict[str, Any]], rows: list[list[Any]], remarks: list[str]) -> dict[str, Any]:
    for place, column in enumerate(columns):
        if column["kind"] == "choice":
            index = {value: number for number, value in enumerate(column["choices"])}
            for row in rows:
                row[place] = index[row[place]]
    return {"columns": columns, "rows": rows, "remarks": remarks}


def _methods(runs: Runs) -> dict[str, Any]:
    rows = summarise(runs)
    known = groups()
    beside = [known[row.group] for row in rows if row.beside_gap.count]
    used = {kind: kind.value.replace("_", " ") for kind in ProofKind if any(row.proven.get(kind) for row in rows)}
    columns = [
        _choices("problem", [groups()[row.group].title for row in rows]),
        _column("method", strong=True),
        _choices("kind", [row.kind for row in rows]),
        _column("runs", "number"),
        _column("solved", "number", hint="with a schedule that the verifier accepts"),
        _column("all", "number", group="proven optimal", hint="by the run itself"),
        *(_column(title, "number", group="proven optimal", hint=_PROOFS[title]) for title in used.values()),
        _column("at optimum", "number", hint="runs whose makespan is the proven optimum, whoever proved it"),
        _column("n", "number", group="gap to the proven optimum", hint="runs on instances with a proven optimum"),
        _column("mean", "percent", group="gap to the proven optimum", bar=True),
        _column("median", "percent", group="gap to the proven optimum"),
        _column("worst", "percent", group="gap to the proven optimum"),
        _column("n", "number", group="above the best bound (may be weak)", hint="runs on instances with a bound"),
        _column("mean", "percent", group="above the best bound (may be weak)"),
        _column("worst", "percent", group="above the best bound (may be weak)"),
        *([_column("mean", "percent", group=beside[0].beside, hint=beside[0].remark)] if beside else []),
        _column("mean", "seconds", group="seconds"),
        _column("median", "seconds", group="seconds"),
        _column("ended otherwise", wide=True),
    ]
    cells = [_method_cells(row, list(used), beside=bool(beside)) for row in rows]
    remarks = [
        GAP_REMARK,
        *(f"{known[one].title}: {known[one].remark}" for one in runs.groups if known[one].remark),
    ]
    return _table(columns, cells, remarks)


def _method_cells(row: MethodSummary, proofs: Sequence[ProofKind], *, beside: bool) -> list[Any]:
    exact = row.kind == "exact"
    cells: list[Any] = [groups()[row.group].title, row.method, row.kind, row.runs, row.solved]
    cells += [
        sum(row.proven.values()) if exact else None,
        *(row.proven.get(kind, 0) if exact else None for kind in proofs),
    ]
    cells += [row.optimal, row.gap.count, row.gap.mean, row.gap.median, row.gap.worst]
    cells += [row.bound_gap.count, row.bound_gap.mean, row.bound_gap.worst]
    cells += [row.beside_gap.mean] * beside
    return [*cells, row.seconds.mean, row.seconds.median, endings(row)]


def _runs(runs: Runs, names: Mapping[str, str], schedules: Mapping[int, Any]) -> dict[str, Any]:
    own = runs.runs
    columns = [
        _choices("instance", [names[run.order.digest] for run in own], wide=True),
        _choices("problem", [groups()[run.group].title for run in own]),
        _choices("method", [run.order.method.label for run in own], strong=True),
        _column("seed", "number"),
        _column("rep.", "number", hint="repetition"),
        _choices("outcome", [_outcome(run) for run in own]),
        _column("makespan", "exact"),
        _column("lower bound", "exact", hint="proven by this run"),
        _column("gap", "gap", hint="to the proven optimum; with ≤, to the best proven bound, which may be weak"),
        _column("schedule", "show"),
        _choices("proof", [run.record.proof.replace("_", " ") for run in own]),
        _column("seconds", "seconds"),
        _column("MiB", "number", hint="most memory seen, with Python and libraries"),
        _column("message", wide=True),
    ]
    rows = [_run_cells(run, names[run.order.digest], place in schedules) for place, run in enumerate(own)]
    remark = "A gap with ≤ is the distance from the best proven lower bound, where no optimum is proven."
    unused = [place for place in (4, 3) if not any(row[place] for row in rows)]  # one seed, one repetition
    for place in unused:
        for line in (columns, *rows):
            del line[place]
    return _table(columns, rows, [remark])


def _outcome(run: Run) -> str:
    """Return the status of a run's schedule, and how the run ended unless it finished."""
    held = "no schedule" if run.objective is None else run.record.status
    return (held if run.outcome in ("finished", held) else f"{held}, {run.outcome}").replace("_", " ")


def _run_cells(run: Run, name: str, shown: bool) -> list[Any]:
    record = run.record
    gap = None if run.bound_gap is None else [float(run.bound_gap)]
    return [
        name,
        groups()[run.group].title,
        run.order.method.label,
        record.seed,
        record.repetition,
        _outcome(run),
        js_number(run.objective),
        js_number(run.lower_bound),
        gap if run.gap is None else float(run.gap),
        int(shown),
        record.proof.replace("_", " "),
        round(record.seconds, 6),
        None if record.peak_memory is None else record.peak_memory >> 20,
        record.message,
    ]


def _schedule(run: Run, packed: dict[str, Any], places: Mapping[str, int], place: int) -> dict[str, Any]:
    """Return a schedule with the parts of its title; the bound is that of the problem that its method solves."""
    bound = run.reference.optimum if run.reference.optimum is not None else run.reference.bound
    return {
        **packed,
        "run": place,
        "instance": places[run.order.digest],
        "exact": int(run.record.kind == "exact"),
        "promises": int(run.beside is None),
        "proven": int(run.reference.optimum is not None),
        "bound": js_number(bound),
    }
