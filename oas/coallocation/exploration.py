"""Controls in a notebook: slot size, bandwidth, saturation policy and method, with the optimum next to a heuristic.

`Exploration` computes and caches the figures. `oas.coallocation.explore_widget` displays them; it needs ipywidgets.
Solves run in one background thread, which ends when all results are computed.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

from oas.coallocation.saturation import PLAIN, Saturation
from oas.coallocation.slot_sizes.study import DEFAULT_PERCENTS
from oas.core.errors import InputError, OasError
from oas.core.formats import show_exact, show_percent, show_ratio
from oas.core.instances import check_problem
from oas.core.numbers import exact
from oas.core.registry import COALLOCATION, SLOWDOWN
from oas.core.result import Result, Status
from oas.solvers.isolation.client import Lane
from oas.solving.comparison import heuristic_row
from oas.solving.methods import methods, select_methods
from oas.solving.options import Options
from oas.solving.pipeline import solve

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oas.coallocation.instance import CoallocationInstance
    from oas.core.instances import Instance
    from oas.solving.comparison import ComparisonRow
    from oas.solving.method import Method
    from oas.solving.methods import AnyHeuristic
    from oas.solving.progress import SolveProgress

COMPUTING = "computing …"
_LANE = 1000  # lane of the solves in the background, which do not wait for the user's solves


@dataclass(frozen=True)
class Setting:
    """Values of the controls that determine the optimum."""

    percent: Fraction  # slot size η in percent of the mean base time; 0 for continuous time
    factor: Fraction  # multiplies the bandwidth of each cluster
    policy: Saturation


@dataclass(frozen=True)
class CurvePoint:
    """Makespans at one slot size, in the time unit of the instance."""

    percent: Fraction  # slot size η in percent of the mean base time
    heuristic: Fraction | None  # None if it is not computed or has no schedule
    result: Result | None  # with a schedule; None otherwise


@dataclass(frozen=True)
class Figures:
    """All figures for one setting and heuristic, as far as they are known."""

    setting: Setting
    instance: CoallocationInstance  # with this setting
    row: ComparisonRow  # schedule and figures of the heuristic
    outcome: Result | str | None  # the result of the solve, or its error message; None while it is computed
    curve: tuple[CurvePoint, ...]  # by ascending slot size

    @property
    def result(self) -> Result | None:
        """The result, if it has a schedule."""
        return self.outcome if isinstance(self.outcome, Result) and self.outcome.schedule is not None else None

    @property
    def ratio(self) -> Fraction | None:
        """Makespan of the heuristic / makespan of the best known schedule; None if one of them is missing."""
        best = None if self.result is None else self.result.objective
        return self.row.makespan / best if self.row.makespan is not None and best else None

    @property
    def optimum_name(self) -> str:
        """Name of the second schedule: the optimum, or the best known schedule if it is not proven."""
        return "best known" if self.result is not None and self.result.status is not Status.OPTIMAL else "optimum"

    @property
    def line(self) -> str:
        """Makespans, ratio, bound and proof in one line."""
        makespan = self.row.makespan
        first = f": {self.row.note}" if makespan is None else f" {show_exact(makespan)}"
        parts = [self.row.method + first]
        if self.outcome is None:
            parts.append(f"optimum: {COMPUTING}")
        elif isinstance(self.outcome, str):
            parts.append(f"optimum: {self.outcome}")
        elif self.outcome.objective is None:
            parts.append(f"no schedule: {self.outcome.message or self.outcome.termination.value.replace('_', ' ')}")
        else:
            parts += self._solved(self.outcome, self.outcome.objective)
        return "  ·  ".join(parts)

    def _solved(self, result: Result, objective: Fraction) -> list[str]:
        parts = [f"{self.optimum_name} {show_exact(objective)}"]
        if self.ratio is not None:
            parts.append(f"ratio {show_ratio(self.ratio)}")
        if result.lower_bound is not None:
            parts.append(f"bound {show_exact(result.lower_bound)}")
        proven = result.status is Status.OPTIMAL
        return [*parts, f"proof: {result.proof}" if proven else f"not proven, gap {show_percent(result.gap)}"]


class Exploration:
    """Figures of one instance for any setting: heuristics immediately, optima from a background thread, both cached.

    Parameters
    ----------
    instance
        The instance to vary.
    chosen
        The heuristics; None for all that support the policy.
    solver
        ``(instance, stop) -> Result``; it should end early when the event `stop` is set.
    seed
        For the heuristics.
    """

    def __init__(
        self,
        instance: CoallocationInstance,
        solver: Callable[[CoallocationInstance, threading.Event], Result],
        chosen: Sequence[Method] | None = None,
        seed: int = 0,
    ) -> None:
        self.instance = instance
        self.own_percent = 100 * instance.slot / instance.mean_base_time
        self.percents = sorted(
            {Fraction(0), self.own_percent, *(exact(percent, "percents") for percent in DEFAULT_PERCENTS)}
        )
        policies = (PLAIN, Saturation(SLOWDOWN), Saturation(SLOWDOWN, sharing="max-min"), instance.saturation)
        self.policies = list(dict.fromkeys(policies))
        self.notify: Callable[[], None] = lambda: None  # called in the background thread after each result
        self._solver, self._chosen, self._seed = solver, chosen, seed
        self._rows: dict[tuple[Setting, str], ComparisonRow] = {}
        self._outcomes: dict[Setting, Result | str] = {}
        self._lock = threading.Lock()  # for the attributes below
        self._rows_open: list[tuple[Setting, str]] = []  # settings and heuristics whose rows are missing
        self._open: list[Setting] = []  # settings to solve, most urgent first
        self._running: tuple[Setting, threading.Event] | None = None  # the setting being solved, and its stop event
        self._working = False  # whether the thread looks for further work
        self._thread: threading.Thread | None = None

    def methods(self, policy: Saturation) -> dict[str, Method]:
        """Return the heuristics for a policy by name."""
        known = methods(COALLOCATION, policy.variant) if self._chosen is None else self._chosen
        return {method.name: method for method in known}

    def instance_for(self, setting: Setting) -> CoallocationInstance:
        """Return the instance with this setting."""
        clusters = [
            replace(cluster, bandwidth=cluster.bandwidth * setting.factor) for cluster in self.instance.clusters
        ]
        slot = self.instance.mean_base_time * setting.percent / 100
        return replace(self.instance, clusters=tuple(clusters), slot=slot, saturation=setting.policy)

    def row(self, setting: Setting, method: str) -> ComparisonRow:
        """Return the schedule and figures of a heuristic."""
        if (setting, method) not in self._rows:
            scheduler = self.methods(setting.policy)[method]
            self._rows[setting, method] = heuristic_row(self.instance_for(setting), scheduler, self._seed)
        return self._rows[setting, method]

    def figures(self, setting: Setting, method: str) -> Figures:
        """Return the figures known now, without waiting for a solve."""
        row = self.row(setting, method)
        curve = []
        for percent in self.percents:
            point = replace(setting, percent=percent)
            outcome, heuristic = self._outcomes.get(point), self._rows.get((point, method))
            solved = outcome if isinstance(outcome, Result) and outcome.schedule is not None else None
            curve.append(CurvePoint(percent, heuristic.makespan if heuristic else None, solved))
        return Figures(setting, self.instance_for(setting), row, self._outcomes.get(setting), tuple(curve))

    def request(self, setting: Setting, method: str) -> None:
        """Complete the curve in the background: all heuristic schedules, then the optima.

        The optimum of this setting comes first, then η = 0 and the other slot sizes from coarse to fine. A running
        solve is stopped and its result discarded if it is not needed any more or less urgent.
        """
        percents = dict.fromkeys((setting.percent, Fraction(0), *reversed(self.percents)))
        settings = [replace(setting, percent=percent) for percent in percents]
        with self._lock:
            self._rows_open = [(point, method) for point in settings if (point, method) not in self._rows]
            self._open = [point for point in settings if point not in self._outcomes]
            if self._running is not None:
                running, stop = self._running
                if running not in self._open or (setting in self._open and running != setting):
                    stop.set()
            if not self._working:
                self._working = True
                self._thread = threading.Thread(target=self._work, name="oas.explore", daemon=True)
                self._thread.start()

    def wait(self) -> None:
        """Wait until everything requested is solved."""
        while (thread := self._thread) is not None and thread.is_alive():
            thread.join()

    def close(self) -> None:
        """Stop the running solve and wait for the end of the thread."""
        with self._lock:
            self._rows_open, self._open = [], []
            if self._running is not None:
                self._running[1].set()
        self.wait()

    def _work(self) -> None:
        """Compute the missing rows, then solve the open settings, until all are done."""
        while True:
            stop = threading.Event()
            with self._lock:
                rows, self._rows_open = self._rows_open, []
                setting = self._open[0] if self._open and not rows else None
                if setting is not None:
                    self._running = setting, stop
                elif not rows:
                    self._working = False
                    return
            for point, method in rows:
                self.row(point, method)
            if setting is not None:
                self._solve(setting, stop)
            self.notify()

    def _solve(self, setting: Setting, stop: threading.Event) -> None:
        outcome: Result | str
        try:
            outcome = self._solver(self.instance_for(setting), stop)
        except Exception as error:  # displayed in place of the optimum
            outcome = str(error) if isinstance(error, OasError) else f"{type(error).__name__}: {error}"
        with self._lock:
            self._running = None
            if not stop.is_set():
                self._outcomes[setting] = outcome
                self._open = [point for point in self._open if point != setting]


def explore(
    instance: Instance,
    *,
    heuristics: AnyHeuristic | Sequence[AnyHeuristic] | None = None,
    time_limit: float | None = 10.0,
    seed: int = 0,
) -> Any:
    """Return controls for a notebook: slot size, bandwidths, saturation policy and heuristic, next to the optimum.

    The heuristic's schedule appears immediately. The optimum is computed in the background, followed by those of the
    other slot sizes; a change of a control stops a solve that is not needed any more. ``close()`` of the returned
    widget ends all computations.

    Parameters
    ----------
    instance
        An instance of co-allocation; its own slot size and saturation policy are selected first.
    heuristics
        Names, ``package.module:function`` or methods, one or several; None for all that support the policy.
    time_limit
        Seconds of wall time for each solve; None for no limit.
    seed
        For solver and heuristics.

    Returns
    -------
    ipywidgets.VBox
        The widget, which the notebook displays.

    Raises
    ------
    InputError
        If the instance is of another problem, a heuristic or option is invalid, or ipywidgets is not installed.
    """
    check_problem(instance, COALLOCATION, "only instances of co-allocation have slot sizes and links to vary")
    Options.of(instance, time_limit=time_limit, seed=seed)
    chosen = None if heuristics is None else select_methods(heuristics, instance, "heuristics")
    try:
        from oas.coallocation.explore_widget import Explorer
    except ImportError as error:
        if error.name and error.name.partition(".")[0] != "ipywidgets":
            raise
        raise InputError("explore needs ipywidgets: pip install 'oas-scheduling[notebooks]'") from None

    def solve_in_lane(varied: CoallocationInstance, stop: threading.Event) -> Result:
        def end_if_stopped(_: SolveProgress) -> None:
            if stop.is_set():
                raise KeyboardInterrupt  # as by Ctrl-C: ends the stages of a solve that run in this process

        lane = Lane(_LANE)
        lane.stop = stop  # ends the stages in worker processes
        with lane:
            return solve(varied, time_limit=time_limit, seed=seed, on_progress=end_if_stopped, on_interrupt="return")

    return Explorer(Exploration(cast("CoallocationInstance", instance), solve_in_lane, chosen, seed))
