"""Trees in certificates: nodes in preorder; inner nodes are case distinctions over all schedules."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

from oas.checker.effort import Effort
from oas.checker.reading import fields_of, integer_of, list_of, refused

MOST_CHOICE_NODES = 20_000  # limit of a tree over the choices of jobs

ChoicesLeft = dict[int, frozenset[int]]  # the remaining choices of each job that has fewer than at the root
Case = TypeVar("Case")


def walk_tree(
    tree: object,
    root: Case,
    visit: Callable[[Any, str, Case], list[Case]],
    most: int,
    deepest: int | None = None,
) -> None:
    """Call ``visit(node, field, case)`` for each node in order; it returns the cases of the node's children.

    A tree with more than `most` nodes, a node deeper than `deepest`, or more or fewer nodes than cases is refused.
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
    """Return the cases of a node ``{"job": j, "parts": [[choice, …], …]}``: job j keeps only the choices of one part.

    `choices` are the choices of each job at the root.
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
        members = [integer_of(choice, place) for choice in list_of(part, place, most=most)]
        if not members or len(set(members)) < len(members) or not rest.issuperset(members):
            raise refused(place, "must be choices that the job has here and no other part has", members)
        rest.difference_update(members)
        effort.hold(64 * (len(left) + 1))
        children.append({**left, job: frozenset(members)})
    if rest or len(children) < 2:
        raise refused(f"{where}.parts", "must be at least two parts that leave out no choice")
    return children
