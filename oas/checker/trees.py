"""Trees in certificates: nodes in preorder, each inner one a case distinction over all schedules."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

from oas.checker.effort import Effort
from oas.checker.reading import fields_of, integer_of, list_of, refused

MOST_CHOICE_NODES = 20_000  # of a tree over the choices of jobs

ChoicesLeft = dict[int, frozenset[int]]  # of jobs that have lost choices: those that they still have
Case = TypeVar("Case")


def walk_tree(
    tree: object,
    root: Case,
    visit: Callable[[Any, str, Case], list[Case]],
    most: int,
    deepest: int | None = None,
) -> None:
    """Call ``visit(node, its place, its case)``, which returns the cases of its children, for each node in order.

    A tree of more than `most` nodes, of more than `deepest` levels, or with more or fewer nodes than cases is refused.
    """
    waiting = [(root, 0)]
    for index, node in enumerate(list_of(tree, "certificate.tree", most=most)):
        where = f"certificate.tree[{index}]"
        if not waiting:
            raise refused(where, "no case is left for it")
        case, depth = waiting.pop()
        children = visit(node, where, case)
        if children and depth == deepest:
            raise refused(where, f"is deeper than {deepest}")
        waiting += [(child, depth + 1) for child in reversed(children)]
    if waiting:
        raise refused("certificate.tree", "does not cover every case")


def split_choices(
    node: Any,
    where: str,
    left: ChoicesLeft,
    choices: Sequence[Collection[int]],
    effort: Effort,
) -> list[ChoicesLeft]:
    """Return what each part of a node ``{"job": j, "parts": [[choice, …], …]}`` leaves of the choices of job j.

    `choices` are all that each job has.
    """
    fields_of(node, where, "job", "parts")
    job = integer_of(node["job"], f"{where}.job")
    if job >= len(choices):
        raise refused(f"{where}.job", "there is no such job", job)
    rest = set(left.get(job, choices[job]))
    most = len(rest)
    children = []
    for number, part in enumerate(list_of(node["parts"], f"{where}.parts", most=most)):
        place = f"{where}.parts[{number}]"
        kept = [integer_of(one, place) for one in list_of(part, place, most=most)]
        if not kept or len(set(kept)) < len(kept) or not rest.issuperset(kept):
            raise refused(place, "must be choices that the job has here and no other part has", kept)
        rest.difference_update(kept)
        effort.hold(64 * (len(left) + 1))
        children.append({**left, job: frozenset(kept)})
    if rest or len(children) < 2:
        raise refused(f"{where}.parts", "must be at least two parts that leave out no choice")
    return children
