"""Best-first tree of linear programs."""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


@dataclass(eq=False, kw_only=True)
class Node:
    """A node of the tree; subclasses add its definition and the proof of its bound."""

    bound: Any  # a number, at least the bound of its parent
    split: Any = None  # the split that its children come from
    children: list[Any] = field(default_factory=list)


AnyNode = TypeVar("AnyNode", bound=Node)
Split = TypeVar("Split")
Part = TypeVar("Part")


class BestFirstTree(ABC, Generic[AnyNode, Split, Part]):
    """Branch and bound that always works on the open node with the smallest bound.

    Ties go to the youngest node, so that integral solutions are found early.

    Parameters
    ----------
    root
        The root, with a valid bound.
    upper
        The search ends once all open nodes have at least this bound; may be lowered.
    most_leaves
        Number of leaves from which on no node is split.
    must_stop
        Returns whether to end.
    """

    def __init__(self, root: AnyNode, upper: Any, most_leaves: int, must_stop: Callable[[], bool]) -> None:
        self.root, self.upper, self.most_leaves, self.must_stop = root, upper, most_leaves, must_stop

    @abstractmethod
    def improve(self, node: AnyNode) -> bool:
        """Raise the bound of a node if possible; return whether to look at all bounds again before it is split."""

    @abstractmethod
    def find_split(self, node: AnyNode) -> Split | None:
        """Return the split of a node; None if splits cannot raise its bound, which ends the search."""

    @abstractmethod
    def parts(self, node: AnyNode, split: Split) -> Sequence[Part]:
        """Return the parts of a node, which together contain all its schedules."""

    @abstractmethod
    def estimate(self, part: Part) -> float:
        """Return approximately the bound of a part: the value of its program with the known columns."""

    @abstractmethod
    def child(self, node: AnyNode, part: Part) -> AnyNode:
        """Return a new node for a part of `node`."""

    @abstractmethod
    def leaf_document(self, node: AnyNode) -> dict[str, object]:
        """Return the proof of a node's bound, in the form of the certificate."""

    @abstractmethod
    def split_document(self, split: Split) -> dict[str, object]:
        """Return a split in the form of the certificate."""

    def report(self, node: AnyNode) -> None:
        """Called with the open node with the smallest bound whenever this may have changed."""

    def is_open(self, node: AnyNode) -> bool:
        """Return whether a new node may contain schedules."""
        return True

    def run(self) -> AnyNode:
        """Search; return the open node with the smallest bound, which is proven."""
        heap = [(self.root.bound, 0, self.root)]
        leaves = 1
        while True:
            bound, serial, node = heap[0]
            self.report(node)
            if bound >= self.upper or self.must_stop():
                return node
            if self.improve(node):
                heapq.heapreplace(heap, (node.bound, serial, node))
                continue
            if leaves < self.most_leaves:
                node.split = self.find_split(node)
            if node.split is None:
                return node
            heapq.heappop(heap)
            node.children = [self.child(node, part) for part in self.parts(node, node.split)]
            for child in filter(self.is_open, node.children):
                leaves += 1
                heapq.heappush(heap, (child.bound, -leaves, child))

    def strongest(self, node: AnyNode, splits: Iterable[Split]) -> Split:
        """Return the split whose weaker part has the greatest estimate; the first one in case of ties."""
        rated = [(sorted(self.estimate(part) for part in self.parts(node, split)), split) for split in splits]
        return max(rated, key=lambda one: one[0])[1]

    def preorder(self, bound: Any) -> list[dict[str, object]]:
        """Return the tree in the form of the certificate; nodes below one that proves `bound` are omitted."""
        listed: list[dict[str, object]] = []
        stack = [self.root]
        while stack:
            node = stack.pop()
            if not node.children or node.bound >= bound:
                listed.append(self.leaf_document(node))
            else:
                listed.append(self.split_document(node.split))
                stack += reversed(node.children)
        return listed
