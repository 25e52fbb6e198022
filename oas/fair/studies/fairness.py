"""Fairness of policies: comparison with the exact reference by utilities and contributions of organizations.

The measure is that of section 6.3 of Skowron, Rzadca (SPAA 2013): Δψ = Σ_u |ψ_u − ψ_u(REF)| at the horizon, divided by
p_tot, the number of unit parts completed in REF's schedule. Delaying one unit part by one moment reduces its owner's ψ
by one, so Δψ/p_tot is an unjustified delay or speed-up, in moments, of a unit part on average. The paper says "of each
job", but it divides by unit parts; and its formula for Δψ lacks the absolute values that its norm implies.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from oas.core.errors import unknown_name
from oas.core.formats import attributes, call_by_path
from oas.core.numbers import integer
from oas.fair.studies.figures import mean_of
from oas.fair.studies.references import REF, check_again, reference_of
from oas.fair.studies.running import Runs, case_of, contenders
from oas.fair.utilities import distance
from oas.solving.study import Study, frame_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pandas
    from matplotlib.figure import Figure

    from oas.core.verifier import Violation
    from oas.fair.instance import FairInstance
    from oas.fair.studies.figures import FairFigures, Mean
    from oas.fair.studies.references import Reference
    from oas.fair.studies.running import Case, Contender, FairProgress, Trial
    from oas.fair.ticks import FairTicks, SharedLog
    from oas.solving.method import Method

SEEDS = 10
SAMPLES = (15, 75)  # the paper's
SECONDS = 600.0
SHARE = 0.25  # share of the remaining time for one run of a policy, so that time remains if a policy hangs


@dataclass(frozen=True)
class PolicyFairness:
    """The results of a policy."""

    policy: str
    trials: tuple[Trial, ...]  #: runs with seeds 0, 1, …; only one if the first three schedules are equal

    @property
    def sound(self) -> bool:
        """Whether every run has a feasible schedule."""
        return all(trial.figures is not None for trial in self.trials)

    @property
    def unfairness(self) -> Mean | None:
        """Δψ/p_tot, in ticks."""
        values = [trial.unfairness for trial in self.trials if trial.unfairness is not None]
        return mean_of(values) if values else None

    @property
    def seconds(self) -> float:
        """Mean wall time of a run."""
        return sum(trial.seconds for trial in self.trials) / len(self.trials)

    def mean(self, figure: Callable[[FairFigures], Any]) -> Mean | None:
        """Return the mean of a figure over the runs with a feasible schedule; None without any."""
        values = [Fraction(figure(trial.figures)) for trial in self.trials if trial.figures is not None]
        return mean_of(values) if values else None

    def utilities(self) -> tuple[Fraction, ...]:
        """Return the mean ψ of each organization over the runs; empty without a schedule."""
        utilities = [trial.figures.utilities for trial in self.trials if trial.figures is not None]
        return tuple(Fraction(sum(column), len(utilities)) for column in zip(*utilities, strict=True))


@dataclass(frozen=True)
class Account:
    """One organization in a comparison."""

    name: str  # its id
    processors: int
    jobs: int  #: number of jobs released before the horizon
    contribution: Fraction | None = None  #: φ under REF at the horizon, the Shapley value; None without REF
    utility: int | None = None  #: ψ under REF; None without REF

    @property
    def owed(self) -> Fraction | None:
        """φ − ψ under REF."""
        return None if self.contribution is None or self.utility is None else self.contribution - self.utility


@dataclass(frozen=True, eq=False, repr=False)
class Fairness(Study):
    """Policies side by side on the same jobs."""

    DISPLAY = "oas.fair.fairness_tables:fairness_parts"

    case: Case  #: organizations and jobs
    rows: tuple[PolicyFairness, ...]  #: one per policy; REF first, if it ran
    reference: Reference | None = None  #: the run of REF; None if it was refused or not requested
    refused: str = ""  #: the reason why REF did not run; empty if it ran
    #: faults of the run of REF found by a second, independent algorithm: starts, values of all coalitions, margins of
    #: recorded decisions (`oas.fair.search.certificate`). None if it was not requested or did not finish.
    recheck_violations: tuple[Violation, ...] | None = None
    sampled: tuple[str, ...] = ()  #: names of the rows that are RAND
    #: name of the policy with whose first run all others are compared: the first row's with a feasible first run, so
    #: REF if it ran; empty if there is none
    base: str = ""
    work: int = 0  #: p_tot: unit parts completed at the horizon in the schedule of the base
    skipped: tuple[str, ...] = ()  #: policies with missing runs, because of the time limit or Ctrl-C
    interrupted: bool = False  #: whether Ctrl-C ended the comparison
    seconds: float = 0.0  #: total wall time

    @property
    def violated(self) -> bool:
        """Whether some run was infeasible or failed, or the second algorithm contradicts REF.

        A run that was ended by the time limit has not failed.
        """
        trials = (trial for row in self.rows for trial in row.trials)
        return bool(self.recheck_violations) or any(trial.figures is None and not trial.timed_out for trial in trials)

    @property
    def accounts(self) -> tuple[Account, ...]:
        """Return a row per organization, with its contribution and utility under REF."""
        columns = (self.case.names, self.case.ticks.machines.tolist(), self.case.released)
        if self.reference is None:
            return tuple(map(Account, *columns))
        run = self.reference.run
        return tuple(map(Account, *columns, run.contributions, run.utilities))

    def gains(self) -> dict[str, tuple[Fraction, ...]]:
        """Return the differences of utilities from the base, (ψ − ψ of the base) / p_tot in ticks, by policy.

        Means over the runs. For a policy with one run, the absolute values sum to Δψ/p_tot.
        """
        base = self.row(self.base).trials[0].figures if self.base else None
        if base is None:
            return {}
        return {
            row.policy: tuple(
                (utility - base_utility) / self.work
                for utility, base_utility in zip(row.utilities(), base.utilities, strict=True)
            )
            for row in self.rows
            if row.sound
        }

    def row(self, policy: str) -> PolicyFairness:
        """Return the results of a policy; `InputError` with the available names if it did not run."""
        for row in self.rows:
            if row.policy.lower() == policy.lower():
                return row
        raise unknown_name(policy, [row.policy for row in self.rows], "policy")

    def to_frame(self) -> pandas.DataFrame:
        """Return one row for each run and organization; numbers as floats, times in ticks.

        Columns: policy, seed, unfairness (Δψ/p_tot), utilisation, mean_wait, mean_flow, jain, worst_ratio, seconds,
        then organization, processors, jobs, contribution (φ under REF), utility (ψ), work and finish_ratio. Runs
        without a schedule are left out.
        """
        return frame_of(
            {
                "policy": row.policy,
                **attributes(trial, "seed", "unfairness"),
                **attributes(figures, "utilisation", "mean_wait", "mean_flow", "jain", "worst_ratio"),
                "seconds": trial.seconds,
                "organization": account.name,
                **attributes(account, "processors", "jobs", "contribution"),
                "utility": float(figures.utilities[place]),
                "work": float(figures.work[place]),
                "finish_ratio": figures.finish_ratio[place],
            }
            for row in self.rows
            for trial in row.trials
            if (figures := trial.figures) is not None
            for place, account in enumerate(self.accounts)
        )

    def plot(self, policies: Sequence[str] | None = None) -> Figure:
        """Draw the ledgers of some policies; parameters and errors as for `oas.fair.studies.references.ledger`."""
        return call_by_path("oas.fair.fairness_tables:ledger_picture", self, policies)


def fairness(
    source: FairInstance | SharedLog | FairTicks,
    policies: Sequence[str | Method] | None = None,
    *,
    reference: bool = True,
    verify: bool = False,
    samples: Sequence[int] = SAMPLES,
    seeds: int = SEEDS,
    time_limit: float | None = SECONDS,
    on_progress: Callable[[FairProgress], None] | None = None,
) -> Fairness:
    """Run policies on the same jobs, and measure how far each is from the exact reference.

    Every schedule is verified. The row of a policy reports its faults; the other policies continue. Ctrl-C keeps the
    finished runs.

    Parameters
    ----------
    source
        An instance, a log shared out among organizations (`oas.logs.sharing.share`), or arrays.
    policies
        Names, ``package.module:policy`` among them, or methods; None for all on-line policies of the toolkit.
    reference
        Whether REF runs. It is refused for more than 20 organizations, and if it would take longer than the remaining
        time; distances then refer to the first row, and fairness is not reported.
    verify
        Whether a second algorithm checks the run of REF, which takes several times as long.
    samples
        N of each RAND(N) that runs: the number of orderings of the organizations that it draws.
    seeds
        Number of runs, with seeds 0, 1, …; a policy has a single run if its first three schedules are equal.
    time_limit
        Seconds in total; later runs are skipped, and a run of a policy is terminated after a quarter of the remaining
        time. None: no limit.
    on_progress
        Called with the current run.

    Raises
    ------
    InputError
        Naming the field and the value.
    """
    case = case_of(source)
    counts = dict.fromkeys(integer(count, f"samples[{place}]", least=1) for place, count in enumerate(samples))
    runs = Runs(case, integer(seeds, "seeds", least=1), time_limit, on_progress)
    drawn = contenders(case, [f"RAND({count})" for count in counts])
    chosen = contenders(case, policies, [*([REF] if reference else []), *(contender.name for contender in drawn)])
    others = _rows(runs, chosen, SHARE)  # first, so that faults of a user's policy show early
    exact, refused = reference_of(case, runs) if reference else (None, "it was not asked for")
    second = check_again(case, exact, runs) if verify and exact is not None else None
    first = [] if exact is None else [PolicyFairness(REF, (exact.trial,))]
    rows, base, work = _compared_with_base([*first, *_rows(runs, drawn), *others])
    return Fairness(
        case,
        tuple(rows),
        exact,
        refused,
        second,
        tuple(contender.name for contender in (*drawn, *chosen) if contender.sampled),
        base,
        work,
        tuple(runs.left_out),
        runs.interrupted,
        runs.seconds,
    )


def _rows(runs: Runs, chosen: Iterable[Contender], share: float = 1.0) -> list[PolicyFairness]:
    rows = (PolicyFairness(contender.name, runs.trials(contender, share)) for contender in chosen)
    return [row for row in rows if row.trials]


def _compared_with_base(rows: Sequence[PolicyFairness]) -> tuple[list[PolicyFairness], str, int]:
    """Return the rows with Δψ/p_tot of every run, the policy of the base, and p_tot.

    The base is the first run of the first row whose first run is feasible.
    """
    feasible = [(row.policy, row.trials[0].figures) for row in rows if row.trials[0].figures is not None]
    if not feasible:
        return list(rows), "", 0
    base, figures = feasible[0]
    work = sum(figures.work)

    def compared(trial: Trial) -> Trial:
        if trial.figures is None:
            return trial
        return replace(trial, unfairness=Fraction(distance(trial.figures.utilities, figures.utilities), work))

    return [replace(row, trials=tuple(map(compared, row.trials))) for row in rows], base, work
