"""Rules that change the schedule of a result, with matching makespan, gap and status."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from benchmarks.robustness import documents
from benchmarks.robustness.tampering.draft import Draft, shift

if TYPE_CHECKING:
    from collections.abc import Callable


def end_earlier(draft: Draft) -> None:
    """Move the jobs that end last a tick earlier, onto occupied nodes."""
    last = max(Fraction(str(one["end"])) for one in draft.placements)
    for one in draft.placements:
        if Fraction(str(one["end"])) == last:
            shift(one, -draft.tick)
    draft.claim_schedule()


def move_job(draft: Draft) -> None:
    """Move a job by some ticks, very far, or onto the time and nodes of another."""
    one, other = draft.random.choice(draft.placements), draft.random.choice(draft.placements)
    kind = draft.random.randrange(3)
    if kind == 0:
        shift(one, draft.random.choice((-1, 1, Fraction(1, 2), -1000, -Fraction(1, 10**9))) * draft.tick)
    elif kind == 1:
        shift(one, Fraction(draft.random.choice((2**62, 2**63, 10**30, -(10**30), Fraction(1, 10**30)))))
    else:
        shift(one, Fraction(str(other["start"])) - Fraction(str(one["start"])))
        if draft.random.random() < 0.5:
            one["nodes"] = other["nodes"]
    draft.claim_schedule()


def shorten_job(draft: Draft) -> None:
    """End a job too early, or begin it too late."""
    one = draft.random.choice(draft.placements)
    name, by = draft.random.choice((("end", -draft.tick), ("start", draft.tick)))
    one[name] = str(Fraction(str(one[name])) + by)
    draft.claim_schedule()


def change_jobs(draft: Draft) -> None:
    """Drop jobs, repeat them, or exchange their names."""
    placements = draft.placements
    one, other = draft.random.choice(placements), draft.random.choice(placements)
    kind = draft.random.randrange(4)
    if kind == 0:
        one["job"], other["job"] = other["job"], one["job"]
    elif kind == 1:
        placements.clear()
    else:
        documents.edit_list(draft.random, placements)
    draft.claim_schedule()


def change_nodes(draft: Draft) -> None:
    """Drop nodes, repeat them, or use nodes of another cluster or missing ones."""
    one = draft.random.choice(draft.placements)
    name = draft.random.choice(sorted(one["nodes"]))
    nodes = one["nodes"][name]
    names = [cluster for cluster, _ in draft.specimen.instance.cluster_sizes]
    kind = draft.random.randrange(5)
    if kind == 0:
        documents.edit_list(draft.random, nodes)
    elif kind == 1:
        nodes[-1] = draft.random.choice((-1, 10**6, 2**31, 2**63, nodes[0]))
    elif kind == 2:
        one["nodes"][draft.random.choice((*names, "nowhere"))] = one["nodes"].pop(name)
    elif kind == 3:
        one["nodes"] = {}
    else:
        one["nodes"].setdefault(draft.random.choice(names), []).append(0)
    draft.claim_schedule()


RULES: dict[str, Callable[[Draft], None]] = {
    "schedule: last jobs a tick earlier": end_earlier,
    "schedule: a job moved": move_job,
    "schedule: a job too short": shorten_job,
    "schedule: jobs missing or twice": change_jobs,
    "schedule: other nodes": change_nodes,
}
