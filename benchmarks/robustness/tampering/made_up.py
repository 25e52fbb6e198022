"""Rule that invents complete certificates, valid in form and as costly to check as the form allows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.robustness.tampering.certificates import draw_weight, pack

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from benchmarks.robustness.tampering.draft import Draft


def make_up(draft: Draft) -> None:
    """Insert an invented certificate of any bound of the problem."""
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
    """Return for each bound of a problem a function that invents a certificate."""
    head = {"makespan": makespan, "mirrored": draw.random() < 0.3}
    steps = {"steps": draw.choice((100, 10**4, 10**6, 10**6, 10**9))}
    row = {"weights": _weights(jobs, draw)}
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
        "partitions": lambda: {
            **head,
            **steps,
            "weights": [_weights(jobs, draw) for _ in range(draw.choice((0, 1, 3, 50)))],
        },
        "start tree": lambda: {
            **head,
            "order": draw.sample(range(jobs), draw.choice((1, jobs))),
            "measures": _measures(jobs, makespan, draw),
            "codes": pack(bytes(draw.choice((1, 1000, 10**6, 3 * 10**7)))),
        },
    }


def _weights(jobs: int, draw: Random) -> list[int]:
    kind = draw.randrange(4)
    return [draw_weight(draw, kind) for _ in range(jobs)]


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
