"""The result of a solve: schedule, lower bound, proof and termination reason; and the trace of a solve over time."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - resolved when a file is read
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction  # noqa: TC003
from typing import TYPE_CHECKING, Any

from oas.core.formats import call_by_path, show_exact
from oas.core.numbers import FormattableFraction

if TYPE_CHECKING:
    from collections.abc import Iterable

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


CHECK = "check "
"""Beginning of the names of stages in which another solver gives a second opinion, such as ``check cbc``."""


def check_seconds(stages: Mapping[str, float]) -> float:
    """Return the wall time of second opinions in the wall times by stage; 0 if there were none."""
    return sum((seconds for name, seconds in stages.items() if name.startswith(CHECK)), 0.0)


@dataclass(frozen=True)
class Bound:
    """A lower bound on the makespan and its certificate."""

    name: str  #: name of the bound
    value: Fraction  #: the bound in the instance's time unit, rounded up to the time grid
    #: data with which `oas.solving.recheck.recheck` confirms `value` in exact arithmetic without a solver; None for a
    #: bound that a solver claims without a certificate
    certificate: Mapping[str, object] | None = field(default=None, hash=False, repr=False)


@dataclass(frozen=True)
class Claim:
    """A lower bound that a solver claims without a certificate."""

    solver: str  #: name of the solver
    version: str  #: its version
    formulation: str  #: the model that it solved
    bound: Fraction  #: in the instance's time unit, reduced by the safety margin and rounded up to the time grid
    run: str = ""  #: how the run differed from the solver's usual one, such as ``presolve=off``; empty if it did not

    @property
    def source(self) -> tuple[str, str, str]:
        """Solver, formulation and kind of run: claims with equal sources do not confirm each other."""
        return self.solver, self.formulation, self.run

    def __str__(self) -> str:
        return f"{self.solver} {self.version} on {self.formulation}" + (f" ({self.run})" if self.run else "")


def confirmed_bound(claims: Iterable[Claim]) -> Fraction | None:
    """Return the greatest bound that two different runs claim; None if no two runs claim any."""
    best: dict[tuple[str, str, str], Fraction] = {}
    for claim in claims:
        best[claim.source] = max(claim.bound, best.get(claim.source, claim.bound))
    return sorted(best.values())[-2] if len(best) > 1 else None


@dataclass(frozen=True)
class Proof:
    """The proof of a lower bound.

    Its kind is ``certificate``: `bound` is re-checked in exact arithmetic without a solver; ``brute_force``: every
    schedule was enumerated; or ``solver``: two different runs of solvers claim the bound without a certificate.
    """

    kind: ProofKind
    bound: Bound | None = None  #: the certified bound, if any
    #: claims of the lower bound, and claims above it that no second run has confirmed
    claims: tuple[Claim, ...] = ()

    @property
    def lowest(self) -> Fraction | None:
        """The lower bound that a certificate or two claims prove; None if there is neither."""
        if self.kind is ProofKind.SOLVER:
            return confirmed_bound(self.claims)
        return None if self.bound is None else self.bound.value

    @property
    def unconfirmed(self) -> tuple[Claim, ...]:
        """Claims above the lower bound: a single run claims each of them, so they prove nothing."""
        lowest = self.lowest
        if self.kind is ProofKind.BRUTE_FORCE:
            return ()
        return tuple(claim for claim in self.claims if lowest is None or claim.bound > lowest)

    def __str__(self) -> str:
        above = () if self.kind is ProofKind.SOLVER else self.unconfirmed
        sources = [str(claim) for claim in self.claims if claim not in above]
        if self.kind is ProofKind.CERTIFICATE and self.bound is not None:
            return f"certificate ({self.bound.name})" + (f", confirmed by {', '.join(sources)}" if sources else "")
        if self.kind is ProofKind.SOLVER and sources:
            return f"claimed by {', '.join(sources)}"
        return self.kind.value.replace("_", " ")


@dataclass(frozen=True)
class ModelReport:
    """The model of a solve and the solver's run; None for everything that the solver does not report.

    Bounds are claims of the solver, not verified. They are converted as every bound of a solver is: its tolerance is
    subtracted, and the rest is rounded up to the next attainable makespan, in the instance's time unit.
    """

    formulation: str  #: name of the formulation
    solver: str  #: name of the solver
    version: str  #: its version
    reductions: tuple[str, ...] = ()  #: what was left out of the model, and the assumption, a sentence each
    rows: int | None = None  #: number of constraints that the solver received
    columns: int | None = None  #: number of variables
    nonzeros: int | None = None  #: number of coefficients
    presolved_rows: int | None = None  #: the same after the solver's presolve
    presolved_columns: int | None = None
    presolved_nonzeros: int | None = None
    #: bound of the linear relaxation before cuts: of HiGHS after its presolve, of CBC without it
    lp_bound: Fraction | None = None
    root_bound: Fraction | None = None  #: bound at the root after cuts, before the first branching
    nodes: int | None = None  #: branch-and-bound nodes
    iterations: int | None = None  #: iterations of linear programs
    cuts: int | None = None  #: cuts in the linear program at the end of the root
    conflicts: int | None = None  #: conflicts of the search of CP-SAT
    #: time of the first and of the best incumbent, in seconds since the call began; a warm start is an incumbent
    first_seconds: float | None = None
    best_seconds: float | None = None
    build_seconds: float = 0.0  #: wall time of building the model
    seconds: float = 0.0  #: wall time of the call: building and solving
    threads: int | None = None  #: number of threads used
    #: options that were passed to the solver, by its names for them
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    #: limits of the call: ``time`` in seconds, ``memory`` in bytes
    limits: Mapping[str, float] = field(default_factory=dict, hash=False)

    @property
    def source(self) -> str:
        """Solver and formulation, as the method of a schedule that the run found."""
        return f"{self.solver} on {self.formulation}"


@dataclass(frozen=True)
class Result:
    """The outcome of a solve."""

    status: Status  #: status of the result
    termination: Termination  #: the reason why the search stopped
    schedule: Schedule | None  #: the best schedule, accepted by the verifier; None if there is none
    #: proven lower bound on the makespan, in the instance's time unit; None if there is none
    lower_bound: Fraction | None
    proof: Proof | None  #: the proof of `lower_bound`; None without one
    instance_digest: str  #: digest of the solved instance
    solver: str = ""  #: the requested solver
    formulation: str = ""  #: the formulation that was used
    #: wall time by stage. ``total`` is the time of all stages, including second opinions (``check`` and the solver's
    #: name); `solve_seconds` is the time of the solve.
    seconds: Mapping[str, float] = field(default_factory=dict, hash=False)
    #: versions of this package, Python and the solvers used
    versions: Mapping[str, str] = field(default_factory=dict, hash=False)
    seed: int = 0  #: the requested seed
    threads: int = 1  #: the requested number of threads
    #: further options that were set, as texts: limits, gap, checks, the requested formulation, and those of the solver
    #: under ``solver_options.NAME``
    options: Mapping[str, str] = field(default_factory=dict, hash=False)
    #: number of threads that each solver used (``oas``: the search of the toolkit), if it is known
    threads_used: Mapping[str, int] = field(default_factory=dict, hash=False)
    message: str = ""  #: details of the termination for people; may be empty
    #: the run of the model; None if the solve ended without one. Second opinions, and runs that confirm a claim or
    #: answer a question of the search, are not reported
    model: ModelReport | None = None
    #: the solved instance; None in a result read from a file. It is neither compared nor saved.
    instance: Instance | None = field(default=None, compare=False, repr=False, kw_only=True)

    @property
    def objective(self) -> Fraction | None:
        """Makespan of the schedule, recomputed from it; None without one."""
        return None if self.schedule is None else self.schedule.makespan

    @property
    def closed_by(self) -> str:
        """Whether schedule and bound of an optimum are the model's or the toolkit's own; empty without an optimum."""
        if self.status is not Status.OPTIMAL or self.schedule is None or self.proof is None:
            return ""
        if self.proof.kind is ProofKind.BRUTE_FORCE:
            return "enumeration"
        if self.model is None:
            return "the toolkit's own schedule and bound, without a model"
        sources = (
            self.schedule.method == self.model.source,
            any(
                (one.solver, one.formulation) == (self.model.solver, self.model.formulation)
                for one in self.proof.claims
            ),
        )
        schedule, bound = ("the model" if own else "the toolkit" for own in sources)
        return f"schedule and bound of {bound}" if schedule == bound else f"schedule of {schedule}, bound of {bound}"

    @property
    def is_claimed(self) -> bool:
        """Whether the lower bound rests on claims of solvers, not on a certificate or an enumeration."""
        return self.proof is not None and self.proof.kind is ProofKind.SOLVER

    @property
    def unconfirmed(self) -> str:
        """The claims that do not count, because a single run makes them, as text; empty if there are none."""
        claims = () if self.proof is None else self.proof.unconfirmed
        return ", ".join(f"{show_exact(claim.bound)} by {claim} alone" for claim in claims)

    @property
    def makespan(self) -> Fraction | None:
        """Another name of `objective`."""
        return self.objective

    @property
    def gap(self) -> Fraction | None:
        """Relative optimality gap: objective / lower bound − 1; None if either is missing."""
        if self.objective is None or not self.lower_bound:
            return None
        return FormattableFraction(self.objective / self.lower_bound - 1)

    @property
    def check_seconds(self) -> float:
        """Wall time of second opinions (the option ``check``); 0 if there were none."""
        return check_seconds(self.seconds)

    @property
    def solve_seconds(self) -> float | None:
        """Wall time of the solve without second opinions; None if no time was recorded."""
        return None if "total" not in self.seconds else max(0.0, self.seconds["total"] - self.check_seconds)

    def to_frame(self) -> pandas.DataFrame:
        """Return a data frame of one row, so that ``pandas.concat`` combines many results.

        Columns: instance (the digest), method (of the schedule), status, termination, makespan and lower_bound (floats,
        in the instance's time unit), gap (a ratio: 0 is optimal), proof, unconfirmed (claims), solver, formulation,
        seconds (wall time without second opinions), check_seconds (wall time of second opinions), seed, threads,
        message.
        """
        return call_by_path("oas.show.frames:result_frame", self)

    def plot(self, instance: Instance | None = None, *, title: str | None = None, unit: str = "") -> Any:
        """Draw the schedule with the lower bound; return a figure, as `oas.plots.schedule_figure` does.

        Raises `InputError` if there is no schedule, or the instance is missing or not the solved one.

        Parameters
        ----------
        instance
            The solved instance; needed only for a result that was read from a file.
        title
            Title instead of the schedule's method.
        unit
            Name of the time unit, for the axis.
        """
        return call_by_path("oas.show.pictures:result_figure", self, instance, title=title, unit=unit)

    def __repr__(self) -> str:
        return call_by_path("oas.show.tables:result_text", self)

    def _repr_html_(self) -> str:
        return call_by_path("oas.show.tables:result_html", self)


@dataclass(frozen=True)
class TracePoint:
    """The bound and the makespan known from some moment on."""

    seconds: float  #: wall time since the beginning of the solve
    lower_bound: Fraction | None  #: the best bound, in the instance's time unit; None before the first
    objective: Fraction | None  #: the best makespan, in the instance's time unit; None before the first


class Trace:
    """A record of bound and makespan over the time of a solve: ``oas.solve(instance, on_progress=trace)``.

    It includes unverified values that a running solver reports, which may be withdrawn later. For `oas.compare`, it
    records the solve of the instance itself, not those at η = 0 and without locality. Second opinions are not recorded.
    Each solve starts a new record.
    """

    def __init__(self) -> None:
        self.seconds = 0.0  #: wall time until the last progress report
        self._points: list[TracePoint] = []

    def __call__(self, report: Any) -> None:
        """Record a progress report, an `oas.solving.progress.SolveProgress`."""
        if report.part:
            return
        values = (report.lower_bound, report.objective)
        if values == (None, None):  # a solve begins
            self._points.clear()
        elif not self._points or values != (self._points[-1].lower_bound, self._points[-1].objective):
            self._points.append(TracePoint(report.seconds, *values))
        self.seconds = report.seconds

    @property
    def points(self) -> tuple[TracePoint, ...]:
        """The moments at which bound or makespan changed, in order."""
        return tuple(self._points)

    def to_frame(self) -> pandas.DataFrame:
        """Return a data frame with a row for each point: seconds, lower_bound and makespan as floats; NaN for None."""
        return call_by_path("oas.show.frames:trace_frame", self)

    def plot(self, *, title: str = "", unit: str = "") -> Any:
        """Draw bound and makespan over time; return a figure, as `oas.plots.trace_chart` does.

        Parameters
        ----------
        title
            Title of the chart.
        unit
            Name of the instance's time unit, for the axis.
        """
        return call_by_path("oas.show.pictures:trace_figure", self, heading=title, unit=unit)

    def __repr__(self) -> str:
        return call_by_path("oas.show.tables:trace_text", self)
