"""FAIRSHARE: selects the organization with the least usage relative to its share; usage decays over time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from heuristics.fair.fair_tree import FairTree, Share, checked_half_life, checked_share, half_life_and_rest
from oas.core.errors import InputError, within
from oas.fair.search.engine import method_of
from oas.solving.method import MethodFamily

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oas.core.numbers import Exact
    from oas.fair.search.policy import PolicyFactory
    from oas.solving.method import Method


class FairShare(FairTree):
    """Starts the job of the organization with the least usage / share, ties to the first; FAIRTREE with one account.

    The tree contains a `Share` of each organization; None for shares equal to the organizations' processors.
    """

    def begin(self, machines: Sequence[int]) -> None:
        """Begin without usage; `InputError` if the number of shares differs from that of the organizations."""
        if self._tree is not None and len(self._tree) != len(machines):
            reason = f"must be {len(machines)}, one for each organization"
            raise InputError(reason, field="shares", value=len(self._tree))
        super().begin(machines)


def fair_share(half_life: int | None = None, shares: Iterable[Exact] | None = None) -> PolicyFactory:
    """Return a factory of FAIRSHARE policies.

    Parameters
    ----------
    half_life
        In ticks, at least 1; None for usage that never decays.
    shares
        One for each organization, above 0; None for its number of processors.

    Raises
    ------
    InputError
        For an invalid half-life or share.
    """
    tree = None
    if shares is not None:
        tree = tuple(Share(k, checked_share(share, f"shares[{k}]")) for k, share in enumerate(shares))
    return partial(FairShare, half_life=checked_half_life(half_life), tree=tree)


def method_with_half_life(head: str, text: str) -> Method:
    """Return FAIRSHARE with a half-life in ticks, or ``none``, and shares: ``604800; 3, 1, 1/2``.

    Raises `InputError` for an invalid half-life or share.
    """
    half_life, rest = half_life_and_rest(text)
    with within("heuristic"):
        factory = fair_share(half_life, [share.strip() for share in rest.split(",")] if rest else None)
    return method_of(factory, f"{head}({text})", "least usage for its share, usage decaying by the half-life")


METHOD = method_of(fair_share(), "FAIRSHARE", "least usage for its share; shares are processors", rank=40)
FAMILY = MethodFamily(("FAIRSHARE",), method_with_half_life, "FAIRSHARE(half-life; shares)")
