"""The slowest of many nodes, found by comparing integers: comparing Fractions takes twenty times as long."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from oas.problems.coallocation.instance import CoallocationInstance


class NodePowers:
    """The powers Γ of all nodes of an instance."""

    def __init__(self, instance: CoallocationInstance) -> None:
        self._powers = sorted({group.power for cluster in instance.clusters for group in cluster.groups})
        rank = {power: index for index, power in enumerate(self._powers)}
        self._ranks = {
            cluster.id: [index for group in cluster.groups for index in [rank[group.power]] * group.count]
            for cluster in instance.clusters
        }

    def slowest(self, nodes: Mapping[str, tuple[int, ...]]) -> Fraction:
        """Return the least power of some nodes, given as numbers by cluster."""
        return self._powers[min(min(map(self._ranks[name].__getitem__, own)) for name, own in nodes.items())]
