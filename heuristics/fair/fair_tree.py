"""FAIRTREE: fair share in a tree of accounts, after Slurm's Fair Tree.

Source: the page *Fair Tree Fairshare Algorithm* of Slurm's documentation (Cox and Morrison, Brigham Young University).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import groupby
from typing import TYPE_CHECKING, cast

from heuristics.fair.engine import method_of
from heuristics.fair.fair_share import DecayedUsage, checked_half_life, checked_share, half_life_and_rest, reciprocals
from heuristics.fair.policy import Watcher
from heuristics.method import MethodFamily
from oas.core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from heuristics.fair.policy import PolicyFactory
    from heuristics.method import Method
    from oas.core.numbers import Exact


@dataclass(frozen=True)
class Share:
    """A member of an account with a share of its own.

    Attributes
    ----------
    of
        The number of an organization, or the members of an account: numbers, sequences of such members, or `Share`.
    shares
        Above 0, against those of the other members of the same account.
    """

    of: int | Sequence[object]
    shares: Exact


class FairTree(Watcher):
    """Ranks the organizations by a walk through a tree of accounts; the one with the highest rank that waits starts.

    Among the members of an account each has a level fairshare LF = S / U: its shares over those of all members, over
    its usage as a part of theirs; infinite without usage. The walk goes through the members by falling LF and enters
    each account where it comes to it. Ties are Slurm's: organizations of equal LF have one rank; an account's members
    of equal LF that are accounts themselves have their members merged before the walk goes on; and an organization with
    the LF of an account has the rank of that account's first. Between organizations of one rank, the first in the
    instance's order starts.

    Usage, and what counts of it at a moment, are as in `FairShare`; with all organizations in one account the two pick
    alike. Everything is compared exactly. Slurm ranks at intervals (``PriorityCalcPeriod``); here ranks are always
    those of the moment.

    Parameters
    ----------
    seed
        Not used.
    half_life
        In ticks; None for no decay.
    tree
        Members of the root as for `Share`: a number is an organization whose shares are its processors, a sequence is
        an account whose shares are its members' together. None for all organizations in one account.
    """

    def __init__(self, seed: int = 0, *, half_life: int | None = None, tree: tuple[object, ...] | None = None) -> None:
        self._half_life = half_life
        self._tree = tree
        self._usage = DecayedUsage(0, half_life)
        self._root: tuple[_Member, ...] = ()

    def begin(self, machines: Sequence[int]) -> None:
        """Begin without usage.

        Raises
        ------
        InputError
            If the tree does not hold each organization once.
        """
        every = range(len(machines))
        self._root = _members(every if self._tree is None else self._tree, machines, "tree")
        held = [one for member in self._root for one in member.organizations]
        for one in every:
            if held.count(one) != 1:
                reason = f"organization {one} is {'not' if one not in held else 'more than once'} in it"
                raise InputError(reason, field="tree")
        self._usage = DecayedUsage(len(machines), self._half_life)

    def started(self, now: int, organization: int, job: int, width: int) -> None:
        """Count the job's processors from now on."""
        self._usage.started(now, organization, width)

    def ended(self, now: int, organization: int, job: int, width: int) -> None:
        """Count them no more."""
        self._usage.ended(now, organization, width)

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        """Return the first organization of the highest rank that one of those waiting has."""
        members, mask = self._root, sum(1 << one for one in waiting)
        while True:
            # Of those that hold nobody who waits, none comes between those that do.
            near = [one for one in members if one.mask & mask]
            used = [one.factor * self._used(one, now) for one in near] if len(near) > 1 else [0]
            least = min(used)
            if used.count(least) > 1:
                return self._first_of_tied(members, now, mask)
            found = near[used.index(least)]
            if not found.members:
                return found.organizations[0]
            members = found.members

    def _used(self, member: _Member, now: int) -> int:
        return sum(self._usage.at(now + 1, member.organizations))

    def _first_of_tied(self, members: Sequence[_Member], now: int, mask: int) -> int:
        """Walk through all members of an account, with Slurm's rules for ties."""
        for rank in self._ranked(self._levels(members, now), now):
            if waiting := [one for one in rank if mask >> one & 1]:
                return min(waiting)
        raise AssertionError("every organization has a rank")

    def _ranked(self, siblings: list[_Levelled], now: int) -> Iterator[list[int]]:
        """Yield the organizations of each rank, the highest first."""
        for _, tied in groupby(sorted(siblings, key=_by_level), key=_by_level):
            members = [one for *_, one in tied]
            rank = [one.organizations[0] for one in members if not one.members]
            merged = [child for one in members if one.members for child in self._levels(one.members, now)]
            below = self._ranked(merged, now)
            yield rank + next(below, [])
            yield from below

    def _levels(self, members: Sequence[_Member], now: int) -> list[_Levelled]:
        """Return the members of one account with their level fairshare."""
        used = [self._used(one, now) for one in members]
        shares, total = sum(one.shares for one in members), sum(used)
        return [
            (bool(own), -one.shares * total / (shares * own) if own else Fraction(0), one)
            for own, one in zip(used, members, strict=True)
        ]


@dataclass(frozen=True)
class _Member:
    """A node of the tree: an organization, or an account with members.

    Its `factor` is in proportion to 1/shares among its siblings, so usage times factor ascends as LF falls.
    """

    shares: Fraction
    organizations: tuple[int, ...]
    members: tuple[_Member, ...] = ()
    factor: int = 1

    @cached_property
    def mask(self) -> int:
        """Its organizations as bits."""
        return sum(1 << one for one in self.organizations)


_Levelled = tuple[bool, Fraction, _Member]  # whether it has usage; −LF if it has: ascending is by falling LF


def _by_level(one: _Levelled) -> tuple[bool, Fraction]:
    return one[:2]


def _members(given: Sequence[object], machines: Sequence[int], field: str) -> tuple[_Member, ...]:
    """Return the members of an account as given by a user."""
    found = [_member(one, machines, f"{field}[{place}]") for place, one in enumerate(given)]
    factors = reciprocals([one.shares for one in found])
    return tuple(replace(one, factor=factor) for one, factor in zip(found, factors, strict=True))


def _member(given: object, machines: Sequence[int], field: str) -> _Member:
    """Return a node of the tree as given by a user."""
    shares = None
    if isinstance(given, Share):
        shares, given = checked_share(given.shares, f"{field}.shares"), given.of
    if isinstance(given, int) and not isinstance(given, bool):
        if not 0 <= given < len(machines):
            raise InputError(f"there are organizations 0 to {len(machines) - 1}", field=field, value=given)
        return _Member(shares or Fraction(machines[given]), (given,))
    if not isinstance(given, list | tuple) or not given:
        raise InputError("must be the number of an organization, or a list of members", field=field, value=given)
    members = _members(given, machines, field)
    held = tuple(one for member in members for one in member.organizations)
    return _Member(shares or sum((one.shares for one in members), Fraction(0)), held, members)


def fair_tree(half_life: int | None = None, tree: Sequence[object] | None = None) -> PolicyFactory:
    """Return a factory of FAIRTREE policies.

    Parameters
    ----------
    half_life
        In ticks, at least 1; None for usage that never decays.
    tree
        Of accounts, as `FairTree` takes it: ``[[0, 1], 2]`` has an account of the first two organizations beside the
        third, ``[Share([0, 1], 3), Share(2, 1)]`` gives them shares.

    Raises
    ------
    InputError
        For a half-life that is none. The tree is looked at when a run begins, and the organizations are known.
    """
    return partial(FairTree, half_life=checked_half_life(half_life), tree=None if tree is None else tuple(tree))


def method_with_tree(head: str, text: str) -> Method:
    """Return FAIRTREE with a half-life in ticks, or ``none``, and a list of lists: ``604800; [[0, 1], [2, 3]]``.

    Raises
    ------
    InputError
        For a half-life that is none, or a text that is no list.
    """
    half_life, rest = half_life_and_rest(text)
    factory = fair_tree(half_life, _listed(rest) if rest else None)
    shown = head if text == "none" else f"{head}({text})"
    return method_of(factory, shown, "fair share in a tree of accounts, as Slurm's Fair Tree")


def _listed(text: str) -> list[object]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list):
        raise InputError("a tree is a list of organizations and lists: [[0, 1], 2]", field="heuristic", value=text)
    return cast("list[object]", found)


FAMILY = MethodFamily(("FAIRTREE",), method_with_tree, "FAIRTREE(half-life; tree)", bare="none")
