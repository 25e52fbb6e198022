"""Display of a comparison of methods, and the lines and columns that depend on the problem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.core.formats import MISSING, plural, show_count, show_exact, show_percent, show_seconds, show_time
from oas.core.result import Status
from oas.show.tables import Facts, Gantt, Table, one_line, short_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from oas.core.instances import Instance
    from oas.core.result import Result
    from oas.show.tables import Part
    from oas.solving.comparison import Comparison, ComparisonRow
    from oas.solving.comparison_set import ComparisonSet
    from oas.solving.continuous import ContinuousLimit

Line = tuple[str, str]


class ProblemTables:
    """Default lines and columns, which problems may override."""

    # columns of a comparison that may be left out for lack of width, least important first
    side: tuple[str, ...] = ("time", "compaction")

    def title(self, instance: Any) -> str:
        """Return the size of an instance: jobs, clusters, nodes."""
        sizes = " + ".join(str(size) for _, size in instance.cluster_sizes)
        jobs, clusters = len(instance.jobs), len(instance.cluster_sizes)
        nodes = plural(instance.node_count, instance.problem.nodes.removesuffix("s"))
        return f"{show_count(jobs, 'job')}, {show_count(clusters, 'cluster')} ({sizes} {nodes})"

    def facts(self, _instance: Any) -> list[Line]:
        """Return further facts about an instance."""
        return []

    def document(self, _instance: Any) -> dict[str, Any]:
        """Return the facts as fields of a JSON document."""
        return {}

    def schedule_lines(self, _instance: Any, row: ComparisonRow, method: str, bounds: list[Line]) -> list[Line]:
        """Return the facts about a schedule in the output of a solve.

        `row` holds its figures, `method` names its method, and `bounds` are the facts about bound and gap.
        """
        usage = show_percent(row.compaction)
        return [("makespan", f"{show_time(row.makespan)}, by {method}"), *bounds, ("compaction", usage)]

    def headings(self, _instance: Any) -> list[str]:
        """Return the headings of a comparison's columns that depend on the problem, the makespan first."""
        return ["makespan", "compaction"]

    def cells(self, _instance: Any, row: ComparisonRow) -> list[str]:
        return [show_time(row.makespan), show_percent(row.compaction)]

    def further(self, _comparison: Comparison) -> list[Part]:
        return []


def tables_of(instance: Instance) -> ProblemTables:
    """Return the tables of an instance's problem."""
    if not instance.problem.has("tables"):
        return ProblemTables()
    return instance.problem.part("tables")


def title_of(instance: Instance) -> str:
    """Return the name and the size of an instance."""
    return f"{short_name(instance)}: {tables_of(instance).title(instance)}"


def facts_of(instance: Instance) -> list[str]:
    """Return further facts about an instance, one line each."""
    return [f"{label}: {text}" for label, text in tables_of(instance).facts(instance)]


def result_parts(instance: Instance, result: Result, limit: ContinuousLimit | None = None) -> Iterator[Part]:
    """Yield the title, facts about instance and result, and the Gantt chart; `limit` is the bound for η = 0."""
    from oas.solving.comparison import exact_row

    tables, schedule = tables_of(instance), result.schedule
    yield title_of(instance)
    bounds = [("lower bound", show_time(result.lower_bound)), ("gap", show_percent(result.gap))]
    facts = [
        *tables.facts(instance),
        ("status", f"{result.status.value} ({result.termination.value.replace('_', ' ')})"),
    ]
    if schedule is not None:
        facts += tables.schedule_lines(instance, exact_row(instance, result), schedule.method, bounds)
    if result.proof is not None:
        facts.append(("proof", str(result.proof)))
    if result.unconfirmed:
        facts.append(("not counted", f"the bound {result.unconfirmed}"))
    facts += model_lines(result)
    if limit is not None:
        facts.append(("η = 0", limit_text(limit)))
    facts.append(("time", _stage_times(result)))
    if result.message:
        facts.append(("note", result.message))
    yield Facts(facts)
    if schedule is not None:
        yield ""
        yield Gantt(instance, schedule, result.lower_bound)


def model_lines(result: Result) -> list[Line]:
    """Return the lines about the model's size, the solver's run, and the origin of schedule and bound of an optimum."""
    model, lines = result.model, list[Line]()
    if model is not None:
        sizes = ((model.rows, "row"), (model.columns, "column"), (model.nonzeros, "nonzero"))
        left = (model.presolved_rows, model.presolved_columns, model.presolved_nonzeros)
        bounds = (("LP bound", model.lp_bound), ("root bound", model.root_bound))
        counts = (
            (model.nodes, "node"),
            (model.iterations, "iteration"),
            (model.cuts, "cut"),
            (model.conflicts, "conflict"),
        )
        times = (("first schedule", model.first_seconds), ("best", model.best_seconds), ("total", model.seconds))
        size = ", ".join(show_count(number, noun) for number, noun in sizes if number is not None)
        after = ", ".join(f"{number:,}" for number in left if number is not None)
        run = [
            *(f"{name} {show_time(bound)}" for name, bound in bounds if bound is not None),
            *(show_count(number, noun) for number, noun in counts if number is not None),
            *(f"{name} {show_seconds(seconds)}" for name, seconds in times if seconds is not None),
        ]
        lines.append(("model", f"{model.formulation}: {size}{after and f'; after presolve {after}'}"))
        lines.append(("run", f"{model.solver} {model.version}: {', '.join(run)}"))
    if result.closed_by and (model is not None or result.solver != "auto"):
        lines.append(("closed by", result.closed_by))
    return lines


def _stage_times(result: Result) -> str:
    """Return the times of the stages as text; after second opinions also the time without them."""
    times = [f"{name} {show_seconds(value)}" for name, value in result.seconds.items()]
    if result.check_seconds:
        times.append(f"without second opinions {show_seconds(result.solve_seconds)}")
    return ", ".join(times)


def limit_text(limit: ContinuousLimit) -> str:
    """Return the proven bound for η = 0 as text."""
    if limit.lower_bound is None:
        return "no bound"
    best = "proven optimum" if limit.proven else f"optimum at most {show_time(limit.best)}"
    return f"bound {show_time(limit.lower_bound)} ({best}), proof: {limit.result.proof or MISSING}"


def comparison_columns(instance: Instance) -> list[str]:
    """Return the names of a comparison's columns; ``above`` is the distance to the optimum, or to the bound."""
    return ["method", *map(one_line, tables_of(instance).headings(instance)), "above", "time"]


def comparison_table(comparison: Comparison, columns: Sequence[str] | None = None) -> Table:
    """Return one row per method, the exact one first; `columns` are names of `comparison_columns`, None for all."""
    instance, tables = comparison.instance, tables_of(comparison.instance)
    exact, *others = comparison.rows
    rows = (exact, *comparison.references, *others)
    table = Table(
        ("method", *tables.headings(instance), f"above\n{'optimum' if comparison.proven else 'bound'}", "time"),
        [
            [
                _comparison_name(comparison, row),
                *tables.cells(instance, row),
                show_percent(row.gap),
                show_seconds(row.seconds),
            ]
            for row in rows
        ],
        tables.side,
        styles=["bold" if row is exact else "red" if row in others and row.schedule is None else "" for row in rows],
    )
    if columns is None:
        return table
    names = comparison_columns(instance)
    return table.only(table.titles[names.index(name)] for name in columns)


def comparison_parts(comparison: Comparison, columns: Sequence[str] | None = None) -> Iterator[Part]:
    """Yield the title, facts, table, notes, the further parts of the problem, and the Gantt chart."""
    instance, result = comparison.instance, comparison.result
    yield title_of(instance)
    yield from facts_of(instance)
    yield comparison_table(comparison, columns)
    yield from ("", *comparison_notes(comparison))
    yield from tables_of(instance).further(comparison)
    if result.schedule is not None:
        yield Gantt(instance, result.schedule, result.lower_bound)


def comparison_set_parts(comparisons: ComparisonSet) -> Iterator[Part]:
    """Yield the number of instances, a table with one row per method, and notes."""
    exact, problem = comparisons.methods[0], comparisons[0].instance.problem
    yield f"{show_count(len(comparisons), 'instance')} of {problem.title}"
    yield Table(
        ("method", "schedules", "optimal", "mean\ngap", "worst\ngap", "mean\ntime"),
        [
            (
                ("optimum" if comparisons.proven else "exact") if method is exact else method.method,
                f"{method.schedules:,}",
                f"{method.optimal:,}",
                show_percent(method.mean_gap),
                show_percent(method.worst_gap),
                show_seconds(method.seconds),
            )
            for method in comparisons.methods
        ],
        side=("mean time",),
        styles=["bold" if method is exact else "" for method in comparisons.methods],
    )
    open_optima = sum(not comparison.proven for comparison in comparisons)
    yield "gap: makespan / optimum − 1"
    if exact.check_seconds is not None:
        yield f"second opinions: {show_seconds(exact.check_seconds)} on average, not included in the times above"
    if open_optima:
        yield f"{show_count(open_optima, 'instance')} without a proven optimum, which the lower bound replaces"
    if comparisons.skipped:
        yield f"interrupted: {show_count(comparisons.skipped, 'instance')} not compared"


def _comparison_name(comparison: Comparison, row: ComparisonRow) -> str:
    """Return the first cell of a row; a star marks methods that ignore locality."""
    from oas.solving.comparison import WITHOUT_LOCALITY
    from oas.solving.continuous import CONTINUOUS

    free, limit = comparison.without_locality, comparison.continuous
    name = row.method
    if row is comparison.rows[0]:
        name = _exact_name(comparison.result)
    elif free is not None and row.method == WITHOUT_LOCALITY:
        name = _exact_name(free)
    elif limit is not None and row.method == CONTINUOUS:
        name = f"{'optimum' if limit.proven else 'exact'}, {CONTINUOUS}"
    return f"{name} *" if row.ignores_locality else name


def _exact_name(result: Result) -> str:
    if result.status is Status.OPTIMAL:
        return "optimum (claimed)" if result.is_claimed else "optimum"
    return f"exact ({result.status.value})"


def _star_note(comparison: Comparison) -> str:
    """Return the explanation of the star in the table; empty if no row has one."""
    free = comparison.without_locality
    if free is not None:
        best = "optimum" if free.status is Status.OPTIMAL else "best schedule (not proven)"
        figures = f"{best} {show_time(free.objective)}, lower bound {show_time(free.lower_bound)}"
        return f"* without locality: {figures}; methods that ignore locality are compared with it"
    if any(row.ignores_locality for row in comparison.rows):
        return "* ignores locality; the optimum without locality was not computed"
    return ""


def _method_notes(rows: Sequence[ComparisonRow]) -> list[str]:
    """Return one line per distinct note, with the names of its methods."""
    names: dict[str, list[str]] = {}
    for row in rows:
        if row.note:
            names.setdefault(row.note.removeprefix(f"{row.method} "), []).append(row.method)
    return [f"{', '.join(methods)}: {note}" for note, methods in names.items()]


def comparison_notes(comparison: Comparison) -> list[str]:
    """Return the notes below the table: bound, proof, errors and guarantees."""
    result = comparison.result
    notes = [f"lower bound {show_time(result.lower_bound)}, proof: {result.proof or MISSING}"]
    if result.unconfirmed:
        notes.append(f"not counted: the bound {result.unconfirmed}")
    if result.schedule is not None:
        notes.insert(0, f"best schedule {show_time(result.objective)}, by {result.schedule.method}")
    if comparison.continuous is not None:
        notes.append(f"executed makespans are compared with η = 0: {limit_text(comparison.continuous)}")
    if star := _star_note(comparison):
        notes.append(star)
    checks = [row.check_seconds for row in (comparison.rows[0], *comparison.references) if row.check_seconds]
    if checks:
        notes.append(f"second opinions: {show_seconds(sum(checks))}, not included in the times above")
    if result.message:
        notes.append(f"exact: {result.message}")
    notes += _method_notes(comparison.rows[1:])
    violated = [
        f"{row.method}: is above its guarantee: please report it" for row in comparison.rows if row.breaks_guarantee
    ]
    guarantees = {
        f"{row.method} ≤ {show_exact(row.guarantee.value)} · optimum: {row.guarantee.hypothesis}"
        for row in comparison.rows
        if row.guarantee
    }
    return [*notes, *violated, *sorted(guarantees)]
