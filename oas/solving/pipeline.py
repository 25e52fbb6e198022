"""Entry point of the pipeline: `solve` computes the result for an instance."""

from __future__ import annotations

import sys
from contextlib import ExitStack, nullcontext, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Self, get_args

from oas.core.errors import InputError
from oas.core.formats import call_by_path
from oas.core.instances import check_instance
from oas.core.result import Termination
from oas.solvers.isolation.client import logged
from oas.solving.options import AUTO, Options, check_reports, schedules_of
from oas.solving.progress import OnInterrupt, SolveInterrupted
from oas.solving.stages import Solve

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from oas.core.instances import Instance
    from oas.core.numbers import Exact
    from oas.core.result import Result
    from oas.core.schedule import Schedule
    from oas.solving.progress import SolveProgress


class SolverLog:
    """A context in which the logs of solvers are appended to a file, or to stderr for ``-``."""

    def __init__(self, path: str) -> None:
        self.used, self.fault = False, ""
        self._path = path

    def __enter__(self) -> Self:
        try:
            self._file = sys.stderr if self._path == "-" else open(self._path, "a", encoding="utf-8", errors="replace")
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", field="solver_log", value=self._path) from error
        self._logged = logged(self.write)
        self._logged.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._logged.__exit__(None, None, None)
        if self._path != "-":
            with suppress(OSError):
                self._file.close()

    def write(self, text: str) -> None:
        """Write a part of a log; after an error of the file, the rest is lost and `note` reports it."""
        self.used = True
        if not self.fault and self._file is not None:  # stderr may be closed
            try:
                self._file.write(text)
                self._file.flush()
            except OSError as error:
                self.fault = f"the solver log is incomplete: {error.strerror}"

    def note(self) -> str:
        """Return a sentence for the result if no model ran or the file is incomplete; otherwise an empty text."""
        return self.fault or ("" if self.used else "no model ran, so there is no solver log")


def solve(
    instance: Instance,
    *,
    solver: str = AUTO,
    formulation: str = "auto",
    check: str | Sequence[str] = (),
    time_limit: float | None = None,
    memory_limit: int | str | None = None,
    gap: Exact | float = 0,
    threads: int | None = 1,
    seed: int = 0,
    solver_options: Mapping[str, object] | None = None,
    bounds: bool = True,
    solver_log: str | os.PathLike[str] | None = None,
    proof_file: str | os.PathLike[str] | None = None,
    start: Schedule | Result | None = None,
    placements: Schedule | Result | None = None,
    schedules: Mapping[str, Schedule | None] | None = None,
    on_progress: Callable[[SolveProgress], None] | None = None,
    display: bool = False,
    on_interrupt: OnInterrupt = "auto",
) -> Result:
    """Find a shortest schedule of `instance` and prove its optimality, as far as the limits allow.

    Parameters
    ----------
    instance
        At any slot size, η = 0 included.
    solver
        ``auto``: bounds with certificates, local search and a complete search of the toolkit, and a model by HiGHS
        if these leave a gap. ``highs``, ``cbc``, ``cpsat``, ``pumpkin`` (MOSP), ``exact`` (co-allocation),
        ``gurobi``, ``scip``, ``cplex``, ``xpress``, or another MIP solver that Pyomo finds under this name: a model by
        that solver alone, after the heuristics, the quick bounds and a short local search.
    formulation
        ``start-indexed`` or ``literal`` for MIP solvers; ``counts`` (co-allocation) or ``cumulative`` (MOSP) for
        CP-SAT; ``axis`` (MOSP) for Pumpkin; ``runs`` (co-allocation) for Exact; ``phases`` (η = 0) or ``slots`` (η > 0)
        if saturated links slow jobs down; ``brute-force`` (tiny instances only). ``auto``: the first that supports the
        instance and that the solver supports.
    check
        Second opinions on a proven optimum, one or several, each ``solver`` or ``solver:formulation``. One that
        agrees is added to the proof; one that finds a shorter schedule refutes it.
    time_limit
        Seconds of wall time until the answer; each check has the same limit. None for no limit. The first solves of an
        installation compile their search in the background, and run slower until that is complete; if it is not
        complete in time, the result's message says so.
    memory_limit
        Memory limit of a solver and its child processes, a text such as ``"4 GiB"`` or ``"500 MB"``, or an int in
        bytes, at least 1 MiB; with several threads, for each process.
    gap
        End with a schedule that is proven to be at most this ratio above the optimum: 0.01 or ``"1%"`` is one per
        cent. Named solvers stop at such gaps of their objective as imply it. The status stays ``feasible`` unless the
        schedule turns out to be optimal.
    threads, seed
        For the solvers; the seed for heuristics too. With solver ``auto`` and more than one thread, stages run in
        parallel processes: CP-SAT if it is installed and there are few jobs, then searches with certificates.
        None: one thread for each processor that this process may use, by affinity and cgroup quotas, or 1 for a named
        solver. With one thread, stages run one after the other, and the result is reproducible.
    solver_options
        Further options of a named solver, by its own names for them. Those that may change the meaning of a bound are
        refused; with such an option of a solver that Pyomo finds, no bound is used.
    bounds
        Whether a named solver gets the toolkit's bound, and its schedule as a warm start; the instance may then be
        closed without a model. If False, the makespan of the best heuristic is the horizon of the model, which needs
        one, and schedule and bound of the result are the model's alone.
    solver_log
        File to which the logs of solvers are appended while they run, or ``-`` for stderr: of every model that is
        solved, questions of the search of solver ``auto`` and second opinions included. A line that begins with ``---``
        comes before each. Models that run in parallel are mixed.
    proof_file
        File to which solver ``pumpkin`` or ``exact`` writes its proof that no schedule is shorter: DRCP or VeriPB.
    start
        A feasible schedule to begin with, from any source, or a result that has one.
    placements
        A plan, or a result with a plan, whose jobs keep their nodes; only starts are optimised, by a model that
        supports given nodes (``phases`` or ``slots``, under slowdown only). The bound of the result is valid for all
        schedules; its message reports the bound for schedules on these nodes.
    schedules
        Schedules of heuristics of the toolkit for this instance by method, or None to exclude a method. These methods
        do not run again. The schedules are verified.
    on_progress
        Called at each stage and while a solver runs; an `oas.Trace` records bound and makespan over time.
    display
        Whether to show progress: in a notebook a chart of bound and makespan over time, updated at most twice a second;
        elsewhere a line on stderr. A log of the solve goes to the logger ``oas.solve`` (`oas.solving.progress`).
    on_interrupt
        Reaction to Ctrl-C: ``return`` ends the search and returns the incumbent; ``raise`` raises `SolveInterrupted`
        instead, a KeyboardInterrupt whose ``result`` is that result, which also ends a loop over many instances.
        ``auto``: ``return`` in notebooks, ``raise`` elsewhere.

    Returns
    -------
    Result
        Limits and crashes end in a result that holds the best verified schedule.

    Raises
    ------
    SolveInterrupted
        On Ctrl-C; see `on_interrupt`.
    InputError
        For an unknown solver, formulation or option, an option without effect, an invalid instance, or a start that
        violates a rule.
    SolverMissingError
        If the solver is not installed.
    """
    check_instance(instance)
    options = Options.of(
        instance,
        solver=solver,
        formulation=formulation,
        check=check,
        time_limit=time_limit,
        memory_limit=memory_limit,
        gap=gap,
        threads=threads,
        seed=seed,
        solver_options=solver_options,
        bounds=bounds,
        solver_log=solver_log,
        proof_file=proof_file,
    )
    made = schedules_of(schedules)
    check_reports(on_progress, display)
    if on_interrupt not in get_args(OnInterrupt):
        reason = f"must be one of {', '.join(get_args(OnInterrupt))}"
        raise InputError(reason, field="on_interrupt", value=on_interrupt)
    with ExitStack() as stack:
        log = None if options.solver_log is None else stack.enter_context(SolverLog(options.solver_log))
        following = call_by_path("oas.show.progress:following", on_progress) if display else nullcontext(on_progress)
        report = stack.enter_context(following)
        result = Solve(instance, options, made, report, start, placements).result()
    if log is not None and (note := log.note()):
        result = replace(result, message="; ".join(filter(None, (result.message, note))))
    raises = on_interrupt == "raise" or (on_interrupt == "auto" and not call_by_path("oas.show.progress:in_notebook"))
    if raises and result.termination is Termination.INTERRUPTED:
        raise SolveInterrupted(result)
    return result
