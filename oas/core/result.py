"""The result of a solve: its status, why the search stopped, the proof of the lower bound; and its trace over time."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from oas.core.formats import shown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    import pandas

    from oas.core.instances import Instance
    from oas.core.schedule import Schedule


class Termination(StrEnum):
    """The reason why the search stopped."""

    FINISHED = "finished"
    TIME_LIMIT = "time_limit"
    INTERRUPTED = "interrupted"
    MEMORY_LIMIT = "memory_limit"
    TOO_LARGE = "too_large"
    CRASHED = "crashed"
    KILLED = "killed"
    ERROR = "error"


class Status(StrEnum):
    """The status of a result."""

    OPTIMAL = "optimal"
    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    NO_SOLUTION = "no_solution"


class ProofKind(StrEnum):
    """The kinds of proof of a lower bound, strongest first."""

    CERTIFICATE = "certificate"
    BRUTE_FORCE = "brute_force"
    SOLVER = "solver"


@dataclass(frozen=True)
class Bound:
    """A lower bound on the makespan and its certificate.

    Attributes
    ----------
    name
        Which bound.
    value
        In the instance's time unit, rounded up to the time grid.
    certificate
        The data by which `oas.exact.recheck.recheck` confirms `value` in exact arithmetic without a solver; None
        if it rests on a solver's word.
    """

    name: str
    value: Fraction
    certificate: Mapping[str, object] | None = field(default=None, hash=False, repr=False)


@dataclass(frozen=True)
class Claim:
    """A lower bound that a solver claims.

    Attributes
    ----------
    solver, version, formulation
        Whose word, on which model.
    bound
        In the instance's time unit, after the safety margin and rounded up to the time grid.
    """

    solver: str
    version: str
    formulation: str
    bound: Fraction


@dataclass(frozen=True)
class Proof:
    """The proof of a lower bound.

    Attributes
    ----------
    kind
        ``certificate``: `bound` is re-checked in exact arithmetic without a solver. ``brute_force``: every schedule
        was enumerated. ``solver``: the claims, each a solver's word.
    bound
        The certified bound, if any.
    claims
        Solvers that proved the same bound or a better one; two on one formulation are not two proofs.
    """

    kind: ProofKind
    bound: Bound | None = None
    claims: tuple[Claim, ...] = ()

    def __str__(self) -> str:
        words = ", ".join(f"{claim.solver} {claim.version} on {claim.formulation}" for claim in self.claims)
        if self.kind is ProofKind.CERTIFICATE and self.bound is not None:
            return f"certificate ({self.bound.name})" + (f", confirmed by {words}" if words else "")
        if self.kind is ProofKind.SOLVER and words:
            return f"solver's word ({words})"
        return self.kind.value.replace("_", " ")


@dataclass(frozen=True)
class Result:
    """The outcome of a solve.

    Attributes
    ----------
    status, termination
        What is known of the optimum, and why the search stopped.
    schedule
        The best schedule, accepted by the verifier; None if there is none.
    lower_bound
        Proven lower bound on the makespan, in the instance's time unit; None if there is none.
    proof
        What proves `lower_bound`; None without one.
    instance_digest
        Digest of the instance this answers.
    solver, formulation
        What was asked for; the formulation is the one that ran.
    seconds
        Wall time by stage.
    versions
        Of this package, Python and the solvers used.
    seed, threads
        As asked for.
    message
        More about the termination, for people; empty if there is nothing to say.
    instance
        The instance this answers, where it is at hand, as in what `oas.solve` returns; None in a result read from a
        file. Neither compared nor saved.
    """

    status: Status
    termination: Termination
    schedule: Schedule | None
    lower_bound: Fraction | None
    proof: Proof | None
    instance_digest: str
    solver: str = ""
    formulation: str = ""
    seconds: Mapping[str, float] = field(default_factory=dict, hash=False)
    versions: Mapping[str, str] = field(default_factory=dict, hash=False)
    seed: int = 0
    threads: int = 1
    message: str = ""
    instance: Instance | None = field(default=None, compare=False, repr=False, kw_only=True)

    @property
    def objective(self) -> Fraction | None:
        """Makespan of the schedule, recomputed from it; None without one."""
        return None if self.schedule is None else self.schedule.makespan

    @property
    def gap(self) -> Fraction | None:
        """How far the schedule may be above the optimum: objective / lower bound − 1; None if either is missing."""
        if self.objective is None or not self.lower_bound:
            return None
        return self.objective / self.lower_bound - 1

    def to_frame(self) -> pandas.DataFrame:
        """Return one row, so that ``pandas.concat`` of many results is a table.

        Columns: instance (the digest), method (what made the schedule), status, termination, makespan and lower_bound
        (floats, in the instance's time unit), gap (a ratio: 0 is optimal), proof, solver, formulation, seconds (wall
        time in all), seed, threads, message.
        """
        return shown("frames.result_frame", self)

    def plot(self, instance: Instance | None = None, *, title: str | None = None, unit: str = "") -> Any:
        """Draw the schedule in full with the lower bound, as `oas.plots.schedule_figure` does.

        Parameters
        ----------
        instance
            What this answers. It is needed only where the result does not know it, as one read from a file.
        title
            In place of the schedule's method.
        unit
            Name of the time unit, for the axis.

        Returns
        -------
        matplotlib.figure.Figure
            Which a notebook shows and `oas.plots.save_figure` writes.

        Raises
        ------
        InputError
            If there is no schedule, or the instance is not known or another one.
        """
        return shown("pictures.result_figure", self, instance, title=title, unit=unit)

    def __repr__(self) -> str:
        return shown("tables.result_text", self)

    def _repr_html_(self) -> str:
        return shown("tables.result_html", self)


@dataclass(frozen=True)
class TracePoint:
    """The bound and the makespan known from one moment on.

    Attributes
    ----------
    seconds
        Wall time since the solve began.
    lower_bound, objective
        The best bound and makespan, in the instance's time unit; None where there was none yet.
    """

    seconds: float
    lower_bound: Fraction | None
    objective: Fraction | None


class Trace:
    """A record of how bound and makespan of a solve came together: ``oas.solve(instance, on_progress=trace)``.

    While a solver runs its own untested statements count, so that a value may be taken back. Of `oas.compare` it holds
    the solve of the instance as it is, not the ones at η = 0 and without locality. A trace that is used again begins
    anew.

    Attributes
    ----------
    seconds
        Wall time until the last report.
    """

    def __init__(self) -> None:
        self.seconds = 0.0
        self._points: list[TracePoint] = []

    def __call__(self, seen: Any) -> None:
        """Take note of a progress report, an `oas.exact.progress.SolveProgress`."""
        if seen.part:
            return
        known = (seen.lower_bound, seen.objective)
        if known == (None, None):  # a solve begins
            self._points.clear()
        elif not self._points or known != (self._points[-1].lower_bound, self._points[-1].objective):
            self._points.append(TracePoint(seen.seconds, *known))
        self.seconds = seen.seconds

    @property
    def points(self) -> tuple[TracePoint, ...]:
        """The moments at which bound or makespan changed, in order."""
        return tuple(self._points)

    def to_frame(self) -> pandas.DataFrame:
        """Return one row a point: seconds, lower_bound and makespan as floats, NaN where there was none."""
        return shown("frames.trace_frame", self)

    def plot(self, *, title: str = "", unit: str = "") -> Any:
        """Draw bound and makespan over time, as `oas.plots.trace_chart` does.

        Parameters
        ----------
        title
            Above the chart.
        unit
            Name of the instance's time unit, for the axis.

        Returns
        -------
        matplotlib.figure.Figure
            Which a notebook shows and `oas.plots.save_figure` writes.
        """
        return shown("pictures.trace_figure", self, heading=title, unit=unit)

    def __repr__(self) -> str:
        return shown("tables.trace_text", self)
