"""Rules that change the schedule: to be shorter than the optimum, or to be none."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from benchmarks.robustness.tampering.draft import DoesNotApplyError
from oas.core.numbers import format_fraction

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.robustness.tampering.draft import Draft


def _placements(draft: Draft) -> list[dict[str, Any]]:
    if draft.document["schedule"] is None or not draft.document["schedule"]["placements"]:
        raise DoesNotApplyError
    found: list[dict[str, Any]] = draft.document["schedule"]["placements"]
    return found


def _time(one: dict[str, Any], name: str) -> Fraction:
    return Fraction(str(one[name]))


def _told(draft: Draft) -> None:
    """Say what follows from the placements, so that the file does not contradict itself, and claim an optimum."""
    placements = draft.document["schedule"]["placements"]
    makespan = max((_time(one, "end") for one in placements), default=Fraction(0))
    draft.document["objective"] = format_fraction(makespan)
    stated = draft.document["lower_bound"]
    lower = Fraction(str(stated)) if stated is not None else None
    if lower is not None and lower > makespan:  # a shorter schedule contradicts the bound: it is lowered too
        lower = makespan
        draft.document["lower_bound"] = format_fraction(makespan)
    draft.document["gap"] = None if not lower else float(makespan / lower - 1)
    draft.document["status"] = "optimal" if lower == makespan else "feasible"
    draft.document["schedule"]["certificate"] = None


def _shift(one: dict[str, Any], by: Fraction) -> None:
    for name in ("start", "end"):
        one[name] = format_fraction(_time(one, name) + by)


def earlier(draft: Draft) -> None:
    """The jobs that end last a tick earlier, onto nodes that are still taken."""
    placements = _placements(draft)
    last = max(_time(one, "end") for one in placements)
    for one in placements:
        if _time(one, "end") == last:
            _shift(one, -draft.tick)
    _told(draft)


def moved(draft: Draft) -> None:
    """Any job some ticks earlier or later."""
    one = draft.random.choice(_placements(draft))
    _shift(one, draft.random.choice((-1, 1, Fraction(1, 2), -1000, -Fraction(1, 10**9))) * draft.tick)
    _told(draft)


def onto_others(draft: Draft) -> None:
    """A job that ends last moved to the start, or to where another job begins, and onto its nodes."""
    placements = _placements(draft)
    one, other = draft.random.choice(placements), draft.random.choice(placements)
    _shift(one, _time(other, "start") - _time(one, "start"))
    if draft.random.random() < 0.5:
        one["nodes"] = other["nodes"]
    _told(draft)


def shorter(draft: Draft) -> None:
    """A job that ends before it is done, or begins after it should."""
    one = draft.random.choice(_placements(draft))
    if draft.random.random() < 0.5:
        one["end"] = format_fraction(_time(one, "end") - draft.tick)
    else:
        one["start"] = format_fraction(_time(one, "start") + draft.tick)
    _told(draft)


def fewer(draft: Draft) -> None:
    """Jobs left out, twice, or under each other's names."""
    placements = _placements(draft)
    at = draft.random.randrange(len(placements))
    what = draft.random.randrange(4)
    if what == 0:
        placements.pop(at)
    elif what == 1:
        placements.append(dict(placements[at]))
    elif what == 2:
        other = draft.random.choice(placements)
        placements[at]["job"], other["job"] = other["job"], placements[at]["job"]
    else:
        placements.clear()
    _told(draft)


def other_nodes(draft: Draft) -> None:
    """Nodes left out, twice, of another cluster, or that there are none of."""
    one = draft.random.choice(_placements(draft))
    name = draft.random.choice(sorted(one["nodes"]))
    nodes = one["nodes"][name]
    names = [cluster for cluster, _ in draft.specimen.instance.cluster_sizes]
    what = draft.random.randrange(6)
    if what == 0:
        nodes.pop()
    elif what == 1:
        nodes.append(nodes[0])
    elif what == 2:
        nodes[-1] = draft.random.choice((-1, 10**6, 2**31, 2**63, nodes[0]))
    elif what == 3:
        one["nodes"][draft.random.choice((*names, "nowhere"))] = one["nodes"].pop(name)
    elif what == 4:
        one["nodes"] = {}
    else:
        one["nodes"].setdefault(draft.random.choice(names), []).append(0)
    _told(draft)


def far(draft: Draft) -> None:
    """Times of very many digits, below zero, or very far away."""
    one = draft.random.choice(_placements(draft))
    by = draft.random.choice((2**62, 2**63, 10**30, -(10**30), Fraction(1, 10**30), -_time(one, "end")))
    _shift(one, Fraction(by))
    _told(draft)


RULES: dict[str, Callable[[Draft], None]] = {
    "schedule: last jobs a tick earlier": earlier,
    "schedule: a job moved by ticks": moved,
    "schedule: onto occupied nodes": onto_others,
    "schedule: a job too short": shorter,
    "schedule: jobs missing or twice": fewer,
    "schedule: other nodes": other_nodes,
    "schedule: times far away": far,
}
