"""FAIRTREE: fair share in a tree of accounts, after Slurm's Fair Tree, with usage that decays over time.

Source: the page *Fair Tree Fairshare Algorithm* of Slurm's documentation (Cox and Morrison, Brigham Young University).
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import groupby
from math import lcm
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError, TooLargeError, within
from oas.core.numbers import exact, integer
from oas.fair.search.engine import method_of
from oas.fair.search.policy import Watcher
from oas.solving.method import MethodFamily

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.core.numbers import Exact
    from oas.fair.search.policy import PolicyFactory
    from oas.solving.method import Method


MAX_HALF_LIVES = 2**20  # usage then takes 128 KiB for each organization
_DIGITS = 18


class DecayedUsage(Watcher):
    """Base of policies that count usage: a unit for each processor and tick, with smaller weights for older units.

    Time is divided into periods of one half-life from 0 on. A unit weighs twice as much as one of the period before:
    usage is halved at the end of each period, and only grows within it. Slurm and Maui also decay at the ends of
    periods, which are shorter there, with a factor closer to 1. A unit d ticks older than another has 2^-⌊d/half-life⌋
    times its weight, or half of this if one more period has ended between them.

    The reason is exactness. Decay at each tick, by 2^(-1/half-life), has no rational value, and with floats the order
    of summation would determine whether two equal usages tie. Here all comparisons are integer comparisons. The
    integers count in weights of the first period, so they grow by one bit with each half-life, up to `MAX_HALF_LIVES`.

    The half-life is in ticks, at least 1; None for usage that never decays.
    """

    def __init__(self, half_life: int | None) -> None:
        self._half_life = half_life
        self._held: list[int] = []  # processors of each organization's running jobs
        self._before: list[int] = []  # weight of the ticks before their starts, which `usage_at` subtracts
        self._moment, self._weight = -1, 0

    def begin(self, machines: Sequence[int]) -> None:
        """Begin without usage."""
        self._held, self._before = [0] * len(machines), [0] * len(machines)

    def started(self, now: int, organization: int, job: int, width: int) -> None:
        """Count the job's processors from now on."""
        self._held[organization] += width
        self._before[organization] += width * self._clock(now)

    def ended(self, now: int, organization: int, job: int, width: int) -> None:
        """Stop counting the job's processors."""
        self.started(now, organization, job, -width)

    def usage_at(self, moment: int, organizations: Sequence[int]) -> int:
        """Return the usage of these organizations together until `moment`, in a unit common to all calls."""
        clock = self._clock(moment)
        return sum(clock * self._held[organization] - self._before[organization] for organization in organizations)

    def _clock(self, moment: int) -> int:
        """Return the weight of all ticks before `moment`."""
        if self._half_life is None:
            return moment
        if moment != self._moment:
            periods, rest = divmod(moment, self._half_life)
            if periods > MAX_HALF_LIVES:
                reason = f"{moment:,} ticks are more than {MAX_HALF_LIVES:,} half-lives of {self._half_life:,}"
                raise TooLargeError(f"{reason}; choose a longer half-life")
            self._moment, self._weight = moment, ((self._half_life + rest) << periods) - self._half_life
        return self._weight


def checked_half_life(half_life: int | None) -> int | None:
    """Return a valid half-life; None for no decay.

    Raises `InputError` unless it is None or an integer of at least one tick. 0 is rejected, because in other software
    it silently disables decay or fair share.
    """
    return None if half_life is None else integer(half_life, "half-life", least=1)


def half_life_and_rest(text: str) -> tuple[int | None, str]:
    """Parse the parameter of a method's name: a half-life in ticks or ``none``, optionally followed by ``;`` and text.

    Raises `InputError` if it begins with neither.
    """
    first, semicolon, rest = (part.strip() for part in text.partition(";"))
    if semicolon and not rest:
        raise InputError("nothing follows the semicolon", field="heuristic", value=text)
    if first.lower() == "none":
        return None, rest
    if not first.isdecimal() or len(first) > _DIGITS:
        reason = f"a half-life is a whole number of ticks of at most {_DIGITS} digits, or none"
        raise InputError(reason, field="heuristic", value=first)
    with within("heuristic"):
        return checked_half_life(int(first)), rest


@dataclass(frozen=True)
class Share:
    """A member of an account with its share.

    Attributes
    ----------
    of
        The number of an organization, or the members of an account: numbers, sequences of such members, or `Share`.
    shares
        Above 0, relative to those of the other members of the same account.
    """

    of: int | Sequence[object]
    shares: Exact


class FairTree(DecayedUsage):
    """Ranks the organizations by a walk through a tree of accounts; the waiting one with the highest rank starts a job.

    Each member of an account has a level fairshare LF = S / U: its fraction of the shares of all members divided by its
    fraction of their usage; infinite without usage. The walk visits the members by decreasing LF and enters each
    account when it reaches it. Ties are broken as in Slurm: organizations of equal LF have the same rank; accounts of
    equal LF have their members merged before the walk continues; and an organization with the LF of an account has the
    rank of the first member of that account. Among organizations of equal rank, the first in the order of the instance
    starts.

    Usage is that of `DecayedUsage` until the end of the tick that begins now, [now, now + 1), during which running and
    starting jobs occupy their processors. Otherwise a start would not count before the next moment, and one
    organization would receive all idle processors. All comparisons are exact. Slurm updates ranks at intervals
    (``PriorityCalcPeriod``); here ranks are always current.

    The half-life is in ticks; None for no decay. The tree contains the members of the root as for `Share`: a number is
    an organization whose shares are its processors, and a sequence is an account whose shares are those of its members
    together; None for all organizations in one account.
    """

    def __init__(self, seed: int = 0, *, half_life: int | None = None, tree: tuple[object, ...] | None = None) -> None:
        super().__init__(half_life)
        self._tree = tree
        self._root: tuple[_Member, ...] = ()

    def begin(self, machines: Sequence[int]) -> None:
        """Begin without usage; `InputError` if the tree does not contain each organization once."""
        numbers = range(len(machines))
        self._root = _members(numbers if self._tree is None else self._tree, machines, "tree")
        leaves = [number for member in self._root for number in member.organizations]
        for number in numbers:
            if leaves.count(number) != 1:
                reason = f"organization {number} is {'not' if number not in leaves else 'more than once'} in it"
                raise InputError(reason, field="tree")
        super().begin(machines)

    def pick(self, now: int, waiting: Sequence[int]) -> int:
        """Return the first waiting organization of the highest rank."""
        members, mask = self._root, sum(1 << organization for organization in waiting)
        while True:
            # Among members without waiting organizations, the order is irrelevant.
            near = [member for member in members if member.mask & mask]
            used = [0]
            if len(near) > 1:
                used = [member.factor * self.usage_at(now + 1, member.organizations) for member in near]
            least = min(used)
            if used.count(least) > 1:  # Slurm's rules for ties refer to all members of the account
                ranks = self._ranked(self._levels(members, now), now)
                waiting_by_rank = (set(rank).intersection(waiting) for rank in ranks)
                return min(next(filter(None, waiting_by_rank)))
            first = near[used.index(least)]
            if not first.members:
                return first.organizations[0]
            members = first.members

    def _ranked(self, siblings: list[_Levelled], now: int) -> Iterator[list[int]]:
        """Yield the organizations of each rank, the highest first."""
        for _, tied in groupby(sorted(siblings, key=_by_level), key=_by_level):
            members = [member for *_, member in tied]
            rank = [member.organizations[0] for member in members if not member.members]
            merged = [child for member in members if member.members for child in self._levels(member.members, now)]
            below = self._ranked(merged, now)
            yield rank + next(below, [])
            yield from below

    def _levels(self, members: Sequence[_Member], now: int) -> list[_Levelled]:
        """Return the members of one account with their level fairshare."""
        used = [self.usage_at(now + 1, member.organizations) for member in members]
        shares, total = sum(member.shares for member in members), sum(used)
        return [
            (bool(usage), -member.shares * total / (shares * usage) if usage else Fraction(0), member)
            for usage, member in zip(used, members, strict=True)
        ]


@dataclass(frozen=True)
class _Member:
    """A node of the tree: an organization, or an account with members.

    Its `factor` is proportional to 1/shares among its siblings, so usage times factor increases as LF decreases.
    """

    shares: Fraction
    organizations: tuple[int, ...]
    members: tuple[_Member, ...] = ()
    factor: int = 1

    @cached_property
    def mask(self) -> int:
        """Its organizations as bits."""
        return sum(1 << organization for organization in self.organizations)


_Levelled = tuple[bool, Fraction, _Member]  # whether it has usage; −LF if it has: ascending is by decreasing LF


_by_level = itemgetter(0, 1)


def _members(given: Sequence[object], machines: Sequence[int], field: str) -> tuple[_Member, ...]:
    """Return the members of an account as given by a user."""
    members = [_member(member, machines, f"{field}[{place}]") for place, member in enumerate(given)]
    scale = lcm(*(member.shares.numerator for member in members))
    return tuple(
        replace(member, factor=scale // member.shares.numerator * member.shares.denominator) for member in members
    )


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
    leaves = tuple(number for member in members for number in member.organizations)
    return _Member(shares or sum((member.shares for member in members), Fraction(0)), leaves, members)


def checked_share(share: Exact, field: str) -> Fraction:
    """Return a share as an exact number; `InputError` if it is not above 0."""
    number = exact(share, field)
    if number <= 0:
        raise InputError("a share must be above 0", field=field, value=str(share))
    return number


def fair_tree(half_life: int | None = None, tree: Sequence[object] | None = None) -> PolicyFactory:
    """Return a factory of FAIRTREE policies.

    Parameters
    ----------
    half_life
        In ticks, at least 1; None for usage that never decays.
    tree
        The accounts, as for `FairTree`: ``[[0, 1], 2]`` has an account of the first two organizations next to the
        third; ``[Share([0, 1], 3), Share(2, 1)]`` assigns shares to them.

    Raises
    ------
    InputError
        For an invalid half-life. The tree is checked when a run begins, because it depends on the organizations.
    """
    return partial(FairTree, half_life=checked_half_life(half_life), tree=None if tree is None else tuple(tree))


def method_with_tree(head: str, text: str) -> Method:
    """Return FAIRTREE with a half-life in ticks, or ``none``, and a list of lists: ``604800; [[0, 1], [2, 3]]``.

    Raises `InputError` for an invalid half-life, or a text that is not a list.
    """
    half_life, rest = half_life_and_rest(text)
    tree: Any = None
    if rest:
        with suppress(ValueError, RecursionError):
            tree = json.loads(rest)
        if not isinstance(tree, list):
            raise InputError("a tree is a list of organizations and lists: [[0, 1], 2]", field="heuristic", value=rest)
    name = head if text == "none" else f"{head}({text})"
    summary = "fair share in a tree of accounts, as Slurm's Fair Tree"
    return method_of(fair_tree(half_life, tree), name, summary)


FAMILY = MethodFamily(("FAIRTREE",), method_with_tree, "FAIRTREE(half-life; tree)", bare="none")
