"""Rules that make a certificate costly to check: deep and broad trees, hard weights, and whole ones made up for it."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from typing import TYPE_CHECKING, Any

from benchmarks.robustness.documents import DoesNotApplyError, is_integer, places, put_number
from oas.core.numbers import format_fraction

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from benchmarks.robustness.tampering.draft import Draft


def pack(data: bytes) -> str:
    """Return a log as certificates hold it."""
    return b64encode(zlib.compress(data, 9)).decode()


def deepen_tree(draft: Draft) -> None:
    """Make the tree up to 10**5 deep, closed by leaves that are there, or not closed."""
    tree = draft.with_field("tree")["tree"]
    leaves = _leaves(tree)
    inner = [one for one in tree if one not in leaves] or [_inner_node(draft)]
    depth = draft.random.choice((40, 199, 250, 10**3, 10**4, 10**5))
    leaf = draft.random.choice(leaves or [0])
    # A leaf between two inner nodes makes a tree that goes down one side only; without, all leaves come at the end.
    path = [draft.random.choice(inner), leaf] if draft.random.random() < 0.5 else [draft.random.choice(inner)]
    closed = draft.random.random() < 0.7
    draft.certificate["tree"] = path * depth + [leaf] * ((1 if len(path) == 2 else depth + 1) if closed else 0)
    draft.maybe_raise()


def _leaves(tree: list[Any]) -> list[Any]:
    return [one for one in tree if type(one) is int or (isinstance(one, dict) and "weights" in one)]


def _inner_node(draft: Draft) -> Any:
    name = draft.specimen.name
    if name.startswith("mosp"):
        return [0, 1]
    return {"before": [0, 3]} if "shared" in name else {"job": 0, "parts": [[0], [1]]}


def complete_tree(draft: Draft) -> None:
    """Make a complete tree over pairs of items or orders of events, with copies of a leaf that is there."""
    leaves = _leaves(draft.with_field("tree")["tree"])
    if not leaves:
        raise DoesNotApplyError
    count = len(draft.specimen.instance.jobs)
    pairs = [(one, other) for one in range(count) for other in range(one)]
    draft.random.shuffle(pairs)
    leaf = draft.random.choice(leaves)
    tree = [leaf]
    for one, other in pairs[: draft.random.choice((2, 4, 8, 11))]:
        node: Any = [one, other] if type(leaf) is int else {"before": [2 * one, 2 * other + 1]}
        tree = [node, *tree, *tree]
    draft.certificate["tree"] = tree
    draft.maybe_raise()


def deepen_file(draft: Draft) -> None:
    """Nest lists or objects up to 10**5 deep somewhere in the file."""
    depth = draft.random.choice((49, 51, 1000, 10**5))
    opening, closing = draft.random.choice((("[", "]"), ('{"a":', "}")))
    certificate = draft.bound["certificate"]
    place = draft.random.choice(sorted(certificate)) if certificate else None
    (certificate if place else draft.document)[place or "message"] = "@"
    text = json.dumps(draft.document)
    draft.raw = text.replace('"@"', opening * depth + "1" + closing * depth, 1).encode()


def harden_weights(draft: Draft) -> None:
    """Draw all weights again, so that no set is soon the heaviest, with as many steps as can be asked for."""
    certificate = draft.with_field("weights") if "weights" in draft.certificate else draft.with_field("tree")
    kind = draft.random.randrange(4)
    for name in ("weights", "heights", "times", "slots", "tree"):
        for place in list(places(certificate.get(name, []))):
            if is_integer(place[0][place[1]]) and not isinstance(place[1], str):
                put_number(place, _weight(draft.random, kind))
    if "steps" in certificate:
        certificate["steps"] = draft.random.choice((0, 1, 10**4, 10**6, 10**9, 2**31, 2**62, 2**63))
    if "makespan" in certificate and draft.random.random() < 0.7:
        draft.raise_claim()


def change_makespan(draft: Draft) -> None:
    """Refute a makespan of very many ticks, or nearly none, which sizes of tables may follow."""
    value = draft.random.choice((0, 1, 10**5, 10**7, 10**9, 2**40, 2**62, 2**63, 10**30))
    draft.with_field("makespan")["makespan"] = value
    if draft.random.random() < 0.5:  # it may well refute this, and proves nothing then
        claim = format_fraction((value + 1) * draft.tick)
        draft.document |= {"lower_bound": claim, "schedule": None, "objective": None, "gap": None}
        draft.document["status"] = "no_solution"
        draft.bound["value"] = claim


def swell_log(draft: Draft) -> None:
    """Put in a log that unpacks to very many bytes, all alike: branches opened for ever, or moments without end."""
    name = draft.packed_field()
    size = draft.random.choice((10**5, 10**6, 10**7, 5 * 10**7, 3 * 10**8))
    unit = draft.random.choice((b"\0", b"\1", b"\2", b"\xfe\0", b"\xff", b"\x80", b"\0\1"))
    packer, piece = zlib.compressobj(9), unit * (2**16 // len(unit))
    data = b"".join(packer.compress(piece) for _ in range(size // len(piece) + 1)) + packer.flush()
    draft.certificate[name] = b64encode(data).decode()
    if draft.random.random() < 0.5:
        draft.raise_claim()


def make_up(draft: Draft) -> None:
    """Show a whole certificate of any bound of the problem, valid in form, and as costly as the form allows."""
    draw, jobs = draft.random, len(draft.specimen.instance.jobs)
    makespan = int(draft.specimen.optimum / draft.tick)
    makers = _makers(draft.specimen.instance.problem.name, jobs, makespan, draw)
    name = draw.choice(sorted(makers))
    certificate = makers[name]()
    draft.document["proof"] = {"kind": "certificate", "bound": {"name": name, "value": 0}, "claims": []}
    draft.bound["certificate"] = certificate
    draft.raise_claim()
    if "makespan" in certificate:
        certificate["makespan"] = makespan


def _makers(problem: str, jobs: int, makespan: int, draw: Random) -> dict[str, Callable[[], dict[str, Any]]]:
    """Return for each bound of a problem a function that makes up a certificate."""
    head = {"makespan": makespan, "mirrored": draw.random() < 0.3}
    steps = {"steps": draw.choice((100, 10**4, 10**6, 10**6, 10**9))}
    row = {"weights": _weights(jobs, draw)}
    cuts, refuted = _cuts(jobs, draw), draw.choice((0, 1, 100, 5000))
    cut = {"cuts": cuts, "weights": [[*row["weights"], *[1] * len(cuts)]]}
    if problem == "coallocation":
        count = draw.choice((1, 2, 3))
        return {
            "configurations": lambda: {"tree": [{"weights": [_weights(count, draw) for _ in range(jobs)]}]},
            "shared links": lambda: {"tree": _orders(jobs, draw)},
            "search log": lambda: {
                **{"version": 1, "makespan": makespan, "placed": draw.random() < 0.5, "weights": [], "apart": []},
                "order": draw.sample(range(jobs), jobs),
                "mirrored": draw.randrange(jobs),
                "codes": pack(bytes(draw.choice((1, 1000, 10**6, 10**8)))),
                "seen": pack(b"\1" * draw.choice((0, 1000, 10**6))),
            },
        }
    return {
        "configurations": lambda: row,
        "two-dimensional": lambda: {**head, "times": _weights(jobs, draw), "heights": _weights(jobs, draw)},
        "cluster sets": lambda: {**head, **steps, **row},
        "partitions": lambda: {
            **head,
            **steps,
            "weights": [_weights(jobs, draw) for _ in range(draw.choice((0, 1, 3, 50)))],
        },
        "set tree": lambda: {
            **{**head, **steps, **cut},
            "refuted": [sorted(draw.sample(range(jobs), draw.randint(1, jobs))) for _ in range(refuted)],
            "tree": _pairs(jobs, draw),
        },
        "pair tree": lambda: {"makespan": makespan, **cut, "tree": _pairs(jobs, draw)},
        "start tree": lambda: {
            **head,
            "order": draw.sample(range(jobs), draw.choice((1, jobs))),
            "measures": _measures(jobs, makespan, draw),
            "codes": pack(bytes(draw.choice((1, 1000, 10**6, 3 * 10**7)))),
        },
    }


def _weight(draw: Random, kind: int) -> int:
    return (2**20 + draw.randrange(4), draw.randrange(2**30), 1 << draw.randrange(40), 1)[kind]


def _weights(jobs: int, draw: Random) -> list[int]:
    kind = draw.randrange(4)
    return [_weight(draw, kind) for _ in range(jobs)]


def _cuts(jobs: int, draw: Random) -> list[list[int]]:
    return [sorted(draw.sample(range(jobs), 3)) for _ in range(draw.choice((0, 0, 1, 10, 200)))] if jobs > 2 else []


def _pairs(jobs: int, draw: Random) -> list[Any]:
    """Return a tree over pairs, with leaves down one side."""
    tree: list[Any] = []
    for _ in range(draw.choice((0, 3, 90, 5000)) if jobs > 1 else 0):
        tree += [draw.sample(range(jobs), 2), 0]
    return [*tree, 0]


def _orders(jobs: int, draw: Random) -> list[Any]:
    """Return a tree over orders of events, with leaves down one side."""
    leaf = {"weights": [1 << draw.randrange(200) for _ in range(jobs)], "slots": [0] * jobs, "capacity": 2**210}
    tree: list[Any] = []
    for _ in range(draw.choice((0, 3, 1000, 9000)) if jobs > 1 else 0):
        tree += [{"before": draw.sample(range(2 * jobs), 2)}, leaf]
    return [*tree, leaf]


def _measures(jobs: int, makespan: int, draw: Random) -> list[Any]:
    prices = [[n, n + 1, 1 + draw.randrange(9)] for n in range(min(makespan, draw.choice((1, 50, 2000))))]
    part = {"weights": [1 + draw.randrange(9) for _ in range(jobs)], "prices": prices}
    return [[part] * draw.choice((1, 3))] * draw.choice((0, 1, 20, 200))


RULES: dict[str, Callable[[Draft], None]] = {
    "costly: tree up to 10**5 deep": deepen_tree,
    "costly: complete tree": complete_tree,
    "costly: file up to 10**5 deep": deepen_file,
    "costly: weights drawn again, many steps": harden_weights,
    "costly: another makespan": change_makespan,
    "costly: log that unpacks to much": swell_log,
    "costly: made up": make_up,
}
