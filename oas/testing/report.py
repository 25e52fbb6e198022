"""The report of the test kit, and the faults that it names."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas

    from heuristics.method import Guarantee, Method
    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.core.verifier import Violation
    from oas.testing.cases import Case


class Kind(StrEnum):
    """Kinds of findings, as reports name them."""

    RULE = "breaks a rule"
    EXCEPTION = "raises an exception"
    NO_SCHEDULE = "returns no schedule"
    UNSTEADY = "differs from run to run"
    CHANGED = "changes the instance"
    TIME_LIMIT = "passes the time limit"
    DIED = "ends its process"
    GUARANTEE = "is above its guarantee"
    AHEAD = "looks ahead"


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong on one instance.

    Attributes
    ----------
    kind
        What.
    message
        With the figures.
    detail
        Tells findings of one kind apart: the rule that is broken, or the exception's type.
    violations
        Everything that the verifier found.
    example
        Lines that show the finding on its instance, for one that is small; none where the message says it all.
    """

    kind: Kind
    message: str
    detail: str = ""
    violations: tuple[Violation, ...] = ()
    example: tuple[str, ...] = ()

    @property
    def sort(self) -> tuple[Kind, str]:
        """Findings of one sort are likely to have one cause."""
        return self.kind, self.detail

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


class HeuristicError(AssertionError):
    """A heuristic failed the test kit; the message is the whole report."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of the tested method on one instance.

    Attributes
    ----------
    case
        The instance, and the interval that its optimum lies in.
    schedule
        Verified; None if there is none.
    refusal
        Why the method says that the instance is not for it, or that it cannot place all jobs.
    finding
        What is wrong, if anything.
    guarantee
        What the method promises of this instance.
    seconds
        Wall time of the call.
    smallest
        Of an instance with a finding: what is left of it when jobs and clusters are taken away as long as the finding
        stays. None where that was not tried.
    example
        Lines that show the finding on it; none where the finding's message says it all.
    """

    case: Case
    schedule: Schedule | None = None
    refusal: str = ""
    finding: Finding | None = None
    guarantee: Guarantee | None = None
    seconds: float = 0.0
    smallest: Instance | None = None
    example: tuple[str, ...] = ()

    @property
    def instance(self) -> Instance:
        """The instance."""
        return self.case.instance

    @property
    def ratio(self) -> Fraction | None:
        """Makespan / shortest makespan known: the ratio to the optimum is at least this, and this if it is known.

        None where makespans are not compared.
        """
        return self._ratio(self.case.most)

    @property
    def ratio_at_most(self) -> Fraction | None:
        """Makespan / proven lower bound."""
        return self._ratio(self.case.least)

    def _ratio(self, reference: Fraction | None) -> Fraction | None:
        return self.schedule.makespan / reference if self.schedule is not None and reference else None


@dataclass(frozen=True)
class Standing:
    """The figures of a method on the instances that the tested one has scheduled.

    Attributes
    ----------
    method
        Its name.
    scheduled
        On how many of them it has a schedule.
    optimal
        Share of them, among those whose optimum is known, where it is optimal; None if there are none.
    mean, worst
        Of the makespans / the shortest known.
    """

    method: str
    scheduled: int
    optimal: Fraction | None
    mean: Fraction | None
    worst: Fraction | None

    @classmethod
    def of(cls, method: str, made: Iterable[tuple[Case, Fraction]]) -> Standing:
        """Sum up (case, makespan)."""
        pairs = list(made)
        ratios = [makespan / case.most for case, makespan in pairs if case.most]
        hits = [makespan == case.most for case, makespan in pairs if case.solved]
        optimal = Fraction(sum(hits), len(hits)) if hits else None
        mean = sum(ratios, Fraction(0)) / len(ratios) if ratios else None
        return cls(method, len(pairs), optimal, mean, max(ratios, default=None))


@dataclass(frozen=True)
class Report:
    """The result of `oas.testing.check_heuristic`.

    Attributes
    ----------
    method
        The heuristic.
    seed
        Of the random instances and of each call.
    outcomes
        One for each instance: gallery, random tiny, random mid-size, a user's own.
    standings
        The heuristic first, then the toolkit's own for the problem that make the same promise, best first.
    left_out
        How many instances were not run because too many calls had passed the time limit or ended their process.
    """

    method: Method
    seed: int
    outcomes: tuple[Outcome, ...]
    standings: tuple[Standing, ...]
    left_out: int = 0

    @property
    def findings(self) -> tuple[Outcome, ...]:
        """Every outcome with which something is wrong."""
        return tuple(one for one in self.outcomes if one.finding is not None)

    @property
    def violations(self) -> tuple[Outcome, ...]:
        """Every outcome whose schedule breaks a rule."""
        return tuple(one for one in self.findings if one.finding is not None and one.finding.kind is Kind.RULE)

    @property
    def scheduled(self) -> tuple[Outcome, ...]:
        """Every outcome with a verified schedule."""
        return tuple(one for one in self.outcomes if one.schedule is not None)

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong; a heuristic that has scheduled no instance at all has not been tested."""
        return not self.findings and bool(self.scheduled)

    @property
    def compared(self) -> bool:
        """Whether makespans are compared with proven bounds: where the problem has any."""
        return any(one.case.least is not None for one in self.outcomes)

    @property
    def worst(self) -> Outcome | None:
        """The schedule that is farthest above the shortest known, for certain; None if there is no schedule."""
        rated = [one for one in self.scheduled if one.ratio is not None]
        return max(rated, key=lambda one: (one.ratio, one.ratio_at_most), default=None)

    @property
    def mean_ratio(self) -> Fraction | None:
        """Mean of makespan / shortest makespan known."""
        return self.standings[0].mean

    @property
    def optimal(self) -> Fraction | None:
        """Share of the scheduled instances with a known optimum on which the heuristic is optimal."""
        return self.standings[0].optimal

    def assert_ok(self) -> None:
        """Do nothing if all is well.

        Raises
        ------
        HeuristicError
            Otherwise, an `AssertionError` with the report.
        """
        if not self.ok:
            raise HeuristicError(str(self))

    def save(self, folder: str | Path) -> list[Path]:
        """Write instances to look at and return their paths: the worst, with its schedule, and one of each finding.

        ``oas compare FILE --heuristic NAME`` runs the heuristic on them again.
        """
        from oas.io import save

        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        things: dict[str, Any] = {}
        if self.worst is not None:
            things = {"worst.json": self.worst.instance, "worst-schedule.json": self.worst.schedule}
        for number, shown in enumerate(self.by_sort(), start=1):
            things[f"finding-{number}.json"] = shown[0].smallest or shown[0].instance
        for name, thing in things.items():
            save(thing, target / name)
        return [target / name for name in things]

    def by_sort(self) -> list[list[Outcome]]:
        """Findings of one sort together, first the one with the smallest instance that shows it."""
        sorts: dict[object, list[Outcome]] = {}
        for one in self.findings:
            assert one.finding is not None
            sorts.setdefault(one.finding.sort, []).append(one)
        return [sorted(group, key=lambda one: one.smallest is None) for group in sorts.values()]

    def to_frame(self) -> pandas.DataFrame:
        """Return one row an instance; ratios as floats."""
        import pandas

        return pandas.DataFrame([_record(one) for one in self.outcomes])

    def __str__(self) -> str:
        from oas.testing.text import report_text

        return report_text(self)


def _record(outcome: Outcome) -> dict[str, Any]:
    finding = outcome.finding
    figures = {
        "makespan": None if outcome.schedule is None else outcome.schedule.makespan,
        "least": outcome.case.least,
        "most": outcome.case.most,
        "ratio": outcome.ratio,
        "ratio_at_most": outcome.ratio_at_most,
    }
    return {
        "source": outcome.case.source,
        "instance": outcome.case.name,
        **{name: None if value is None else float(value) for name, value in figures.items()},
        "seconds": outcome.seconds,
        "refusal": outcome.refusal,
        "finding": "" if finding is None else str(finding.kind),
        "message": "" if finding is None else finding.message,
    }
