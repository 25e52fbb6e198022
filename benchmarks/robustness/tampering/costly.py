"""Rules that make a certificate costly to check: deep and broad trees, hard weights, and whole ones made up for it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from benchmarks.robustness.tampering.draft import DoesNotApplyError
from benchmarks.robustness.tampering.logs import _packed
from oas.core.numbers import format_fraction

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from benchmarks.robustness.tampering.draft import Draft

DEPTHS = (40, 199, 250, 10**3, 10**4, 10**5)


def deep_tree(draft: Draft) -> None:
    """A tree up to 10**5 deep, closed by leaves that are there, or not closed."""
    tree = draft.has("tree")["tree"]
    leaves = [one for one in tree if type(one) is int or (isinstance(one, dict) and "weights" in one)]
    inner = [one for one in tree if one not in leaves] or [_inner(draft)]
    depth = draft.random.choice(DEPTHS)
    leaf = draft.random.choice(leaves or [0])
    # A leaf between two inner nodes makes a tree that goes down one side only; without, all leaves come at the end.
    path = [draft.random.choice(inner), leaf] if draft.random.random() < 0.5 else [draft.random.choice(inner)]
    closed = draft.random.random() < 0.7
    draft.certificate["tree"] = path * depth + [leaf] * ((1 if len(path) == 2 else depth + 1) if closed else 0)
    draft.maybe_raise()


def _inner(draft: Draft) -> Any:
    name = draft.specimen.name
    if name.startswith("mosp"):
        return [0, 1]
    return {"before": [0, 3]} if "shared" in name else {"job": 0, "parts": [[0], [1]]}


def broad_tree(draft: Draft) -> None:
    """A complete tree over pairs of items or orders of events, with a leaf that is there, copied."""
    tree = draft.has("tree")["tree"]
    leaves = [one for one in tree if type(one) is int or (isinstance(one, dict) and "weights" in one)]
    if not leaves:
        raise DoesNotApplyError
    count = len(draft.specimen.instance.jobs)
    pairs = [(one, other) for one in range(count) for other in range(one)]
    draft.random.shuffle(pairs)
    levels = draft.random.choice((2, 4, 8, 11))
    leaf = draft.random.choice(leaves)

    def grown(level: int) -> list[Any]:
        if level == min(levels, len(pairs)):
            return [leaf]
        below = grown(level + 1)
        one, other = pairs[level]
        pair: Any = [one, other] if type(leaf) is int else {"before": [2 * one, 2 * other + 1]}
        return [pair, *below, *below]

    draft.certificate["tree"] = grown(0)
    draft.maybe_raise()


def deep_file(draft: Draft) -> None:
    """Lists or objects in each other, up to 10**5 deep, somewhere in the file."""
    depth = draft.random.choice((49, 51, 1000, 10**5))
    opening, closing = draft.random.choice((("[", "]"), ('{"a":', "}")))
    certificate = draft.bound["certificate"]
    place = draft.random.choice(sorted(certificate)) if certificate else None
    (certificate if place else draft.document)[place or "message"] = "@"
    text = json.dumps(draft.document)
    draft.raw = text.replace('"@"', opening * depth + "1" + closing * depth, 1).encode()


def hard_weights(draft: Draft) -> None:
    """All weights drawn anew: alike but for a little, or of very different sizes, so that no set is soon the heaviest.

    With as many steps as can be asked for.
    """
    certificate = draft.has("weights") if "weights" in draft.certificate else draft.has("tree")
    _redraw(certificate, draft.random)
    if "steps" in certificate:
        certificate["steps"] = draft.random.choice((10**4, 10**6, 10**9, 2**62, certificate["steps"]))
    if "makespan" in certificate and draft.random.random() < 0.7:
        draft.raise_claim()


def _redraw(tree: Any, draw: Random) -> None:
    """Draw the numbers in lists named weights, heights, times and slots anew."""
    kind = draw.randrange(4)
    stack = [(tree, False)]
    while stack:
        one, inside = stack.pop()
        for key in one if isinstance(one, dict) else range(len(one)):
            within = inside or key in ("weights", "heights", "times", "slots")
            if isinstance(one[key], list | dict):
                stack.append((one[key], within))
            elif within and type(one[key]) in (int, str) and type(key) is int:
                number = (2**20 + draw.randrange(4), draw.randrange(2**30), 1 << draw.randrange(40), 1)[kind]
                one[key] = str(number) if isinstance(one[key], str) else number


def many_steps(draft: Draft) -> None:
    """As many steps as can be asked for, one, or none."""
    draft.has("steps")["steps"] = draft.random.choice((0, 1, 10**6, 10**9, 2**31, 2**62, 2**63))
    draft.maybe_raise()


def other_makespan(draft: Draft) -> None:
    """A makespan of very many ticks, or nearly none, which sizes of tables may follow."""
    certificate = draft.has("makespan")
    value = draft.random.choice((0, 1, 10**5, 10**7, 10**9, 2**40, 2**62, 2**63, 10**30))
    certificate["makespan"] = value
    if draft.random.random() < 0.5:  # it may well refute this, and proves nothing then
        claim = format_fraction((min(value, 10**30) + 1) * draft.tick)
        draft.document |= {"lower_bound": claim, "schedule": None, "objective": None, "gap": None}
        draft.document["status"] = "no_solution"
        draft.bound["value"] = claim


def made_up(draft: Draft) -> None:
    """A whole certificate of any bound of the problem, right in form, and as costly as the form allows."""
    jobs = len(draft.specimen.instance.jobs)
    makers = MAKERS[draft.specimen.instance.problem.name]
    name = draft.random.choice(sorted(makers))
    draft.document["proof"] = {"kind": "certificate", "bound": {"name": name, "value": 0}, "claims": []}
    certificate = makers[name](jobs, int(draft.specimen.optimum / draft.tick), draft.random)
    draft.bound["certificate"] = certificate
    kept = certificate.get("makespan")
    draft.raise_claim()
    if kept is not None:
        certificate["makespan"] = kept


def _weights(jobs: int, draw: Random) -> list[int]:
    kind = draw.randrange(5)
    return [
        (2**20 + draw.randrange(4), draw.randrange(2**30), 1 << draw.randrange(40), 1, n)[kind] for n in range(jobs)
    ]


def _steps(draw: Random) -> int:
    return draw.choice((100, 10**4, 10**6, 10**6, 10**9))


def _cuts(jobs: int, draw: Random) -> list[list[int]]:
    return [sorted(draw.sample(range(jobs), 3)) for _ in range(draw.choice((0, 0, 1, 10, 200)))] if jobs > 2 else []


def _pairs(jobs: int, draw: Random, leaves: int) -> list[Any]:
    """A tree over pairs, so many leaves down one side."""
    tree: list[Any] = []
    for _ in range(leaves if jobs > 1 else 0):
        tree += [draw.sample(range(jobs), 2), 0]
    return [*tree, 0]


def _cluster_sets(jobs: int, makespan: int, draw: Random) -> dict[str, Any]:
    return {
        "makespan": makespan,
        "weights": _weights(jobs, draw),
        "steps": _steps(draw),
        "mirrored": draw.random() < 0.3,
    }


def _partitions(jobs: int, makespan: int, draw: Random) -> dict[str, Any]:
    rows = [_weights(jobs, draw) for _ in range(draw.choice((0, 1, 3, 50)))]
    return {"makespan": makespan, "weights": rows, "steps": _steps(draw), "mirrored": draw.random() < 0.3}


def _two_dimensional(jobs: int, makespan: int, draw: Random) -> dict[str, Any]:
    return {
        "makespan": makespan,
        "times": _weights(jobs, draw),
        "heights": _weights(jobs, draw),
        "mirrored": draw.random() < 0.3,
    }


def _set_tree(jobs: int, makespan: int, draw: Random) -> dict[str, Any]:
    cuts = _cuts(jobs, draw)
    refuted = [sorted(draw.sample(range(jobs), draw.randint(1, jobs))) for _ in range(draw.choice((0, 1, 100, 5000)))]
    return {
        "makespan": makespan,
        "mirrored": draw.random() < 0.3,
        "steps": _steps(draw),
        "refuted": refuted,
        "cuts": cuts,
        "weights": [[*_weights(jobs, draw), *[1] * len(cuts)]],
        "tree": _pairs(jobs, draw, draw.choice((0, 3, 90, 5000))),
    }


def _pair_tree(jobs: int, makespan: int, draw: Random) -> dict[str, Any]:
    cuts = _cuts(jobs, draw)
    made: dict[str, Any] = {
        "makespan": makespan,
        "cuts": cuts,
        "weights": [[*_weights(jobs, draw), *[1] * len(cuts)]],
        "tree": _pairs(jobs, draw, draw.choice((0, 3, 90, 5000))),
    }
    if draw.random() < 0.5:
        made["pool"] = list(range(jobs))
    return made


def _start_tree(jobs: int, makespan: int, draw: Random) -> dict[str, Any]:
    prices = [[n, n + 1, 1 + draw.randrange(9)] for n in range(min(makespan, draw.choice((1, 50, 2000))))]
    part = {"weights": [1 + draw.randrange(9) for _ in range(jobs)], "prices": prices}
    return {
        "makespan": makespan,
        "mirrored": draw.random() < 0.3,
        "order": draw.sample(range(jobs), draw.choice((1, jobs))),
        "measures": [[part] * draw.choice((1, 3))] * draw.choice((0, 1, 20, 200)),
        "codes": _packed(bytes(draw.choice((1, 1000, 10**6, 3 * 10**7)))),
    }


def _search_log(jobs: int, makespan: int, draw: Random) -> dict[str, Any]:
    count = draw.choice((1, 1000, 10**6, 10**8))
    return {
        "version": 1,
        "makespan": makespan,
        "placed": draw.random() < 0.5,
        "order": draw.sample(range(jobs), jobs),
        "mirrored": draw.randrange(jobs),
        "weights": [],
        "apart": [],
        "codes": _packed(bytes(count)),
        "seen": _packed(b"\1" * draw.choice((0, 1000, 10**6))),
    }


def _shared_links(jobs: int, _: int, draw: Random) -> dict[str, Any]:
    leaf = {"weights": [1 << draw.randrange(200) for _ in range(jobs)], "slots": [0] * jobs, "capacity": 2**210}
    tree: list[Any] = []
    for _ in range(draw.choice((0, 3, 1000, 9000)) if jobs > 1 else 0):
        tree += [{"before": draw.sample(range(2 * jobs), 2)}, leaf]
    return {"tree": [*tree, leaf]}


def _levels(jobs: int, _: int, draw: Random) -> dict[str, Any]:
    count = draw.choice((1, 2, 3))
    return {"tree": [{"weights": [_weights(count, draw) for _ in range(jobs)]}]}


def _row(jobs: int, _: int, draw: Random) -> dict[str, Any]:
    return {"weights": _weights(jobs, draw)}


MAKERS: dict[str, dict[str, Callable[[int, int, Random], dict[str, Any]]]] = {
    "mosp": {
        "configurations": _row,
        "two-dimensional": _two_dimensional,
        "cluster sets": _cluster_sets,
        "partitions": _partitions,
        "set tree": _set_tree,
        "pair tree": _pair_tree,
        "start tree": _start_tree,
    },
    "coallocation": {"configurations": _levels, "search log": _search_log, "shared links": _shared_links},
}

RULES: dict[str, Callable[[Draft], None]] = {
    "tree up to 10**5 deep": deep_tree,
    "complete tree": broad_tree,
    "file up to 10**5 deep": deep_file,
    "weights drawn anew, many steps": hard_weights,
    "very many steps": many_steps,
    "another makespan": other_makespan,
    "made up to be costly": made_up,
}
