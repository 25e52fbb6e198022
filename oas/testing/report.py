"""The report of the test kit and its findings."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.core.verifier import Violation
    from oas.solving.method import Guarantee, Method
    from oas.testing.cases import Case


class Kind(StrEnum):
    """Kinds of findings."""

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
    """A fault of the heuristic on one instance.

    Attributes
    ----------
    kind, message
        Kind and description of the fault, with figures.
    detail
        Broken rule or type of the exception, which distinguishes findings of a kind.
    violations
        All violations reported by the verifier.
    """

    kind: Kind
    message: str
    detail: str = ""
    violations: tuple[Violation, ...] = ()

    @property
    def cause(self) -> tuple[Kind, str]:
        """Kind and detail; findings of the same sort probably have the same cause."""
        return self.kind, self.detail

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


class HeuristicError(AssertionError):
    """Failure of a heuristic in the test kit; the message is the report."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of the tested method on one instance.

    Attributes
    ----------
    case
        The instance and bounds on its optimum.
    schedule
        The verified schedule; None if there is none.
    refusal
        The method's reason if it does not apply to the instance or cannot place all jobs.
    finding, guarantee
        The fault, if any, and the method's guarantee on this instance, if it has one.
    seconds
        Wall time of the call.
    smallest
        A small instance with a finding of the same cause; None if it was not searched.
    example
        The finding on `smallest`.
    """

    case: Case
    schedule: Schedule | None = None
    refusal: str = ""
    finding: Finding | None = None
    guarantee: Guarantee | None = None
    seconds: float = 0.0
    smallest: Instance | None = None
    example: Finding | None = None

    @property
    def instance(self) -> Instance:
        return self.case.instance

    @property
    def ratio(self) -> Fraction | None:
        """Makespan / best known makespan, a lower bound on the ratio to the optimum; None if there is no comparison."""
        return self._ratio(self.case.best_known)

    @property
    def ratio_at_most(self) -> Fraction | None:
        """Makespan / proven lower bound, an upper bound on the ratio to the optimum."""
        return self._ratio(self.case.lower_bound)

    def _ratio(self, reference: Fraction | None) -> Fraction | None:
        return self.schedule.makespan / reference if self.schedule is not None and reference else None


@dataclass(frozen=True)
class Standing:
    """The figures of a method on the instances that the tested method has scheduled.

    Attributes
    ----------
    method, scheduled
        Name of the method, and the number of these instances that it schedules.
    optimal
        Share of optimal schedules among the instances with a known optimum; None if there are none.
    mean, worst
        Mean and maximum of makespan / best known makespan.
    """

    method: str
    scheduled: int
    optimal: Fraction | None
    mean: Fraction | None
    worst: Fraction | None

    @classmethod
    def of(cls, method: str, pairs: Sequence[tuple[Case, Fraction]]) -> Standing:
        """Compute the figures from cases and makespans."""
        ratios = [makespan / case.best_known for case, makespan in pairs if case.best_known]
        hits = [makespan == case.best_known for case, makespan in pairs if case.solved]
        optimal = Fraction(sum(hits), len(hits)) if hits else None
        mean = sum(ratios, Fraction(0)) / len(ratios) if ratios else None
        return cls(method, len(pairs), optimal, mean, max(ratios, default=None))


@dataclass(frozen=True)
class Report:
    """The result of `oas.testing.check_heuristic`.

    Attributes
    ----------
    method, seed
        The heuristic, and the seed of the first random instance and of each call.
    outcomes
        One outcome per instance: gallery, random tiny, random mid-size, the user's own.
    standings
        The heuristic, then comparable methods of the toolkit, best first.
    left_out
        Number of instances skipped because too many calls had exceeded the time limit or ended their process.
    """

    method: Method
    seed: int
    outcomes: tuple[Outcome, ...]
    standings: tuple[Standing, ...]
    left_out: int = 0

    @property
    def findings(self) -> tuple[Outcome, ...]:
        """Outcomes with a finding."""
        return tuple(outcome for outcome in self.outcomes if outcome.finding is not None)

    @property
    def violations(self) -> tuple[Outcome, ...]:
        """Outcomes whose schedule breaks a rule."""
        return tuple(outcome for outcome in self.findings if outcome.finding and outcome.finding.kind is Kind.RULE)

    @property
    def scheduled(self) -> tuple[Outcome, ...]:
        """Outcomes with a verified schedule."""
        return tuple(outcome for outcome in self.outcomes if outcome.schedule is not None)

    @property
    def ok(self) -> bool:
        """Whether there is no finding and at least one schedule."""
        return not self.findings and bool(self.scheduled)

    @property
    def compared(self) -> bool:
        """Whether makespans are compared with proven bounds, which the problem may lack."""
        return any(outcome.case.lower_bound is not None for outcome in self.outcomes)

    @property
    def worst(self) -> Outcome | None:
        """The outcome with the largest ratio; None if makespans are not compared."""
        rated = [outcome for outcome in self.scheduled if outcome.ratio is not None]
        return max(rated, key=lambda outcome: (outcome.ratio, outcome.ratio_at_most), default=None)

    @property
    def mean_ratio(self) -> Fraction | None:
        """Mean of makespan / best known makespan."""
        return self.standings[0].mean

    @property
    def optimal(self) -> Fraction | None:
        """Share of optimal schedules among the scheduled instances with a known optimum."""
        return self.standings[0].optimal

    def assert_ok(self) -> None:
        """Raise `HeuristicError`, an `AssertionError` with the report, unless `ok`."""
        if not self.ok:
            raise HeuristicError(str(self))

    def save(self, folder: str | Path) -> list[Path]:
        """Write the worst instance with its schedule, and one instance per sort of finding; return the paths.

        ``oas compare FILE --heuristic NAME`` runs the heuristic on them again.
        """
        from oas.io import save

        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        contents: dict[str, Any] = {}
        if self.worst is not None:
            contents = {"worst.json": self.worst.instance, "worst-schedule.json": self.worst.schedule}
        for number, (outcome, *_) in enumerate(self.by_cause(), start=1):
            contents[f"finding-{number}.json"] = outcome.smallest or outcome.instance
        for name, content in contents.items():
            save(content, target / name)
        return [target / name for name in contents]

    def by_cause(self) -> list[list[Outcome]]:
        """Group the findings by sort; the first of a group is the one with the smallest instance."""
        groups: dict[object, list[Outcome]] = {}
        for outcome in self.findings:
            assert outcome.finding is not None
            groups.setdefault(outcome.finding.cause, []).append(outcome)
        return [sorted(group, key=lambda outcome: outcome.smallest is None) for group in groups.values()]

    def to_frame(self) -> pandas.DataFrame:
        """Return a data frame with one row per instance; ratios are floats."""
        import pandas

        return pandas.DataFrame([_record(outcome) for outcome in self.outcomes])

    def __str__(self) -> str:
        from oas.testing.text import report_text

        return report_text(self)


def _record(outcome: Outcome) -> dict[str, Any]:
    finding = outcome.finding
    figures = {
        "makespan": None if outcome.schedule is None else outcome.schedule.makespan,
        "least": outcome.case.lower_bound,
        "most": outcome.case.best_known,
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
