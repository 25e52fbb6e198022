"""The row kept for each instance of section 4."""

from __future__ import annotations

from fractions import Fraction

import msgspec

from benchmarks.papers.saturation.cases import Cell
from benchmarks.proof_rates.shared.plans import Case

FORBID, NO_LINKS = "forbid", "no links"
"""Names of the plans that are executed: made under ``forbid``, and where links carry anything."""


class Made(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A verified schedule.

    Attributes
    ----------
    makespan
        In seconds, as a fraction.
    compaction
        Share of nodes times makespan in which nodes are used.
    """

    makespan: str
    compaction: float

    @property
    def length(self) -> Fraction:
        """The makespan as a number."""
        return Fraction(self.makespan)


class PolicyFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What was found under one saturation policy.

    Attributes
    ----------
    policy
        Such as ``forbid`` or ``slowdown, threshold 1/2``.
    lower
        Proven lower bound on the makespan, in seconds, as a fraction.
    best
        The shortest schedule known.
    certified
        Whether exact arithmetic confirms the bound without a solver: that of this policy or of one that allows more.
    heuristics
        By name; methods without a schedule are left out.
    executed
        Plans of another policy as they run under this one, by `FORBID` and `NO_LINKS`; None for one that cannot
        run, for a job alone asks a link for more than it may be asked for.
    """

    policy: str
    lower: str
    best: Made
    certified: bool
    heuristics: dict[str, Made]
    executed: dict[str, Made | None]

    @property
    def proven(self) -> bool:
        """Whether its own bound proves `best` an optimum."""
        return Fraction(self.lower) == self.best.length


class SectionRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An instance under every policy.

    Attributes
    ----------
    plan, cell, seed, digest
        Which instance.
    policies
        ``forbid`` first, then from the greatest threshold to none.
    plans
        What is executed, by `FORBID` and `NO_LINKS`, as planned: the shortest schedules that the solves found.
    no_links_lower
        The bound on the makespan where links carry anything, in seconds, as a fraction.
    mismatch
        What contradicts what; empty if all agree.
    seconds, load
        Wall time of all solves, and the machine's one-minute load average when this was finished.
    versions, machine, commit, source, recorded
        Software, processor, checkout, hash of the source, and when, in UTC.
    """

    plan: str
    cell: Cell
    seed: int
    digest: str
    policies: list[PolicyFigures]
    plans: dict[str, Made]
    no_links_lower: str
    mismatch: str
    seconds: float
    load: float
    versions: dict[str, str]
    machine: str
    commit: str
    source: str
    recorded: str

    def settled(self, one: PolicyFigures) -> bool:
        """Tell whether a policy's shortest schedule is proven: no policy's optimum is below that without links."""
        return one.proven or one.best.length == Fraction(self.no_links_lower)

    @property
    def case(self) -> Case:
        """The case that was measured."""
        return Case(self.plan, self.cell, self.seed)
