"""Weight rows of models by start, separated from the linear relaxation before a solver gets the model (worker side).

An *item* is a job in one of the ways in which it can run. Let w be integer weights of the items, at least 0, and M the
maximum weight of a set of items that can run at the same moment, or an upper bound on it. Every schedule satisfies

    Σ w · running at t ≤ M, and ≤ 0 unless t is before the makespan,

because the jobs that run at t are such a set. This assumes no bound, no horizon and no objective. M is priced in
integers for the final weights, so that no float makes it too small. Between two moments at which jobs may start, jobs
only end; for schedules, rows at these moments suffice.

Rows of dual feasible functions, cliques and covers are such rows. If the running jobs of a fractional point are no
convex combination of feasible sets, column generation over these sets finds a violated row, up to tolerances and limits
of the pricing. For the average over all moments, its weights are those of a configuration bound.

The rows of equal weights at all moments add up to a bound on the makespan C: Σ w · duration ≤ M · C. It is computed
before the model is built (`makespan_bound`), which is then smaller and has a tighter relaxation.
"""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor, inf, lcm
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from oas.core.errors import SolverError
from oas.lp.master import Master
from oas.lp.program import LinearProgram
from oas.solving.formulation import MOST_WEIGHT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from oas.solvers.isolation.protocol import Session

ROUNDS = 20  # maximum number of linear relaxations
MOST_NONZEROS = 400_000  # of a model that is relaxed
MOST_ITERATIONS = 20_000  # of the simplex method for a relaxation
TIME_SHARE = 0.2  # of the time left, after which separation ends
MOST_SEPARATIONS = 200  # of averages in a round, and of moments if these give no row
MOST_AVERAGES = 100  # linear programs for the bound on the makespan
HEAVIEST = 8 * MOST_WEIGHT  # of weights and M, which may be above `MOST_WEIGHT` if M is only a bound
LONGEST_HORIZON = 2**53 // HEAVIEST  # of these linear programs, so that floats hold their coefficients exactly
VIOLATION = 1e-3  # minimum violation of a row, as a fraction of M
_SCALE = 2**40  # integer weight of a dual of 1 in column generation
_NOISE = 1e-9
_LARGEST_DENOMINATOR = 60  # of duals that become exact weights; others are rounded down


class WeightRow(NamedTuple):
    """A weight row at a moment."""

    weights: tuple[tuple[int, ...], ...]  # [job][choice]
    capacity: int  # M
    moment: int


class FeasibleSets(Protocol):
    """The sets of items that can run at the same moment, of one kind or several; `items` is the number of items."""

    items: int

    def heaviest(self, weights: Sequence[int], kind: int, floor: int) -> tuple[int, list[tuple[int, ...]]]:
        """Return at least the maximum weight of a set of this kind, or `floor`, and some sets heavier than `floor`."""
        ...


class ModelSets(FeasibleSets, Protocol):
    """Feasible sets for a model by start, with its places.

    `places`: for each place, pairs of a moment, ascending, and the kind of the sets that can run there then. A set of a
    kind is also one of every greater kind.
    """

    places: list[list[tuple[int, int]]]

    def item(self, job: int, choice: int) -> tuple[int, int]:
        """Return the place and the item of a choice of the model."""
        ...


def terms_of(spec: Any, row: WeightRow) -> Iterator[tuple[int, tuple[int, int, int]]]:
    """Yield weight and index (job, choice, start) of the start variables in a row."""
    for job, choice, duration, starts in spec.columns():
        if weight := row.weights[job][choice]:
            for start in starts[bisect_right(starts, row.moment - duration) : bisect_right(starts, row.moment)]:
                yield weight, (job, choice, start)


def step_of(spec: Any, moment: int) -> int | None:
    """Return the index of the variable `beyond` that is 1 if the makespan is after `moment`; None if it always is."""
    step = bisect_right(spec.ends, moment)
    return step if moment >= spec.lower_bound and step < len(spec.ends) else None


def makespan_bound(spec: Any, make_sets: Callable[[Any], ModelSets], session: Session) -> int:
    """Return a lower bound on the makespan in ticks, of all schedules of the model of `spec`; at least that of `spec`.

    A linear program divides each job among its choices and minimises C, which is at least the end of each job at its
    first start, and Σ w · duration / M at each place. Weights are added as long as they are violated. The bound is
    proven by the duals in exact arithmetic.
    """
    if spec.horizon > LONGEST_HORIZON:
        return int(spec.lower_bound)
    from oas.solvers.matrix import Matrix, Row, proven_bound

    left = session.time_left()
    end = inf if left is None else time.monotonic() + TIME_SHARE * left
    sets = make_sets(spec)
    kinds = [max((kind for _, kind in place), default=0) for place in sets.places]
    hulls = {kind: Hull(sets, kind) for kind in kinds}
    choices = [(job, *sets.item(job, choice), length, starts) for job, choice, length, starts in spec.columns()]
    by_job: dict[int, list[int]] = {}
    for column, (job, *_, starts) in enumerate(choices, 1):
        if starts:
            by_job.setdefault(job, []).append(column)
    upper = (float(spec.horizon), *(float(bool(starts)) for *_, starts in choices))
    program, rows = LinearProgram(), list[Row]()
    for column, most in enumerate(upper):
        program.add_column(float(not column), (), (), 0.0, most)

    def add(low: float, high: float, terms: Mapping[int, float]) -> None:
        rows.append(Row("", "", low, high, tuple(terms), tuple(map(float, terms.values()))))
        program.add_row(low, high, rows[-1].columns, rows[-1].coefficients)

    for own in by_job.values():
        add(1.0, 1.0, dict.fromkeys(own, 1))
        add(0.0, inf, {0: 1, **{column: -choices[column - 1][4][0] - choices[column - 1][3] for column in own}})
    duals: list[float] = []
    with suppress(SolverError):  # numbers are difficult
        for _ in range(MOST_AVERAGES):
            if session.must_stop() or not program.solve_within(end - time.monotonic()):
                break
            duals, (makespan, *shares) = program.duals(), program.primal()
            running: Any = np.zeros((len(kinds), sets.items))
            for share, (_, place, item, length, _) in zip(shares, choices, strict=True):
                running[place, item] += share * length / makespan
            found = {(kind, hulls[kind].separating(vector, 1.0)) for kind, vector in zip(kinds, running, strict=True)}
            new = [(kind, weights) for kind, weights in found if weights is not None]
            for kind, weights in sorted(new):
                for place in (place for place, own in enumerate(kinds) if own == kind):
                    used = {
                        column: -weights[item] * length
                        for column, (_, at, item, length, _) in enumerate(choices, 1)
                        if at == place
                    }
                    add(0.0, inf, {0: hulls[kind].most(weights), **used})
            if not new:
                break
    costs, zero = (1.0, *(0.0 for _ in choices)), (0.0,) * len(upper)
    bound = proven_bound(Matrix(costs, 0.0, zero, upper, (False,) * len(upper), tuple(rows[: len(duals)])), duals)
    return max(int(spec.lower_bound), min(int(spec.horizon), ceil(bound or 0)))


def separated(
    spec: Any, build: Callable[[Any], Any], make_sets: Callable[[Any], ModelSets], session: Session
) -> tuple[WeightRow, ...]:
    """Return weight rows that raise the bound of the linear relaxation of the model of `spec`.

    Violated rows are added until there are none or the rounds are over; those that are not needed for the last bound
    are left out. The rows depend on the model alone, unless the time ends first. A large model gets none.
    """
    return _root(spec, build, make_sets, session, raising=False)[0]


def tightened(
    spec: Any, build: Callable[[Any], Any], make_sets: Callable[[Any], ModelSets], session: Session
) -> tuple[tuple[WeightRow, ...], int]:
    """Return weight rows as `separated`, and a lower bound on the makespan in ticks that they imply.

    The bound is at least that of `spec`; no schedule of the model is shorter. It is raised in each round to the least
    makespan that the relaxation permits, which is proven in exact arithmetic and raises the next relaxation.
    """
    spec = replace(spec, lower_bound=makespan_bound(spec, make_sets, session))
    rows, attainable = _root(spec, build, make_sets, session, raising=True)
    return rows, spec.ends[attainable - 1] if attainable else spec.lower_bound


def _root(
    spec: Any, build: Callable[[Any], Any], make_sets: Callable[[Any], ModelSets], session: Session, *, raising: bool
) -> tuple[tuple[WeightRow, ...], int]:
    """Return weight rows, and by how many attainable makespans the bound of `spec` can be raised (0 if not wanted)."""
    if spec.nonzeros > MOST_NONZEROS:
        return (), 0
    from oas.solvers.matrix import Row, of_model, proven_bound
    from oas.solvers.variables import key_of

    left = session.time_left()
    end = inf if left is None else time.monotonic() + TIME_SHARE * left
    model = build(spec)  # its variables have their names as long as it exists
    if time.monotonic() > end:
        return (), 0
    matrix, variables = of_model(model)
    keys = [key_of(variable) for variable in variables]
    program = LinearProgram.of(matrix)
    columns = {key: column for column, key in enumerate(keys)}
    beyond = [columns["beyond", (step,)] for step in range(len(spec.ends))]
    separation = _Separation(spec, make_sets(spec))
    given, added, duals = matrix.rows, list[Row](), list[float]()
    raised = 0
    for _ in range(ROUNDS):
        try:
            if session.must_stop() or program.solve_within(end - time.monotonic(), MOST_ITERATIONS) is None:
                break
            duals = program.duals()
            if raising:
                bound = ceil(proven_bound(replace(matrix, rows=(*given, *added)), duals) or 0)
                raised = max(raised, min(bound, len(beyond)))
                ones = set(beyond[:raised])
                for column in ones:
                    program.set_bounds(column, 1.0, 1.0)
                lower = tuple(1.0 if column in ones else low for column, low in enumerate(matrix.lower))
                matrix = replace(matrix, lower=lower)
            rows = separation.violated(dict(zip(keys, program.primal(), strict=True)))
        except SolverError:  # the relaxation is infeasible, as the solver will find too, or numbers are difficult
            break
        for row in rows:
            terms: list[tuple[int, int]] = [(columns["start", index], one) for one, index in terms_of(spec, row)]
            step = step_of(spec, row.moment)
            if step is not None:
                terms.append((beyond[step], -row.capacity))
            places, values = zip(*terms, strict=True)
            most = float(row.capacity) if step is None else 0.0
            program.add_row(-inf, most, places, values)
            added.append(Row("", "", -inf, most, places, tuple(map(float, values))))
        if not rows:
            break
    needless = {index for index, dual in enumerate(duals[len(given) :]) if not dual}
    return tuple(row for index, row in enumerate(separation.rows) if index not in needless), raised


class _Separation:
    """The rows so far, and their weights, which are tried again at every moment."""

    def __init__(self, spec: Any, sets: ModelSets) -> None:
        self.spec, self.sets = spec, sets
        self.rows: list[WeightRow] = []
        self.choices = {(job, choice): (*sets.item(job, choice), time) for job, choice, time, _ in spec.columns()}
        self.moments = [[moment for moment, _ in place] for place in sets.places]
        self.kinds = [[kind for _, kind in place] for place in sets.places]
        self.hulls = {kind: Hull(sets, kind) for kinds in self.kinds for kind in kinds}
        self.pool: list[tuple[int, ...]] = []  # weights by item

    def violated(self, point: Mapping[Any, float]) -> list[WeightRow]:
        """Return new rows that a point violates, for each place and moment the most violated one.

        Weights are those known, those that separate the average of moments, and if none of these is violated, those
        that separate single moments.
        """
        running, rights = self._running(point), self._rights(point)
        best = [np.full(len(right), VIOLATION) for right in rights]
        rows: dict[tuple[int, int], WeightRow] = {}  # by place and index of the moment

        def find(weights: tuple[int, ...]) -> None:
            for place, (vectors, right) in enumerate(zip(running, rights, strict=True)):
                most = np.array([self.hulls[kind].most(weights) for kind in self.kinds[place]])
                excess = vectors @ np.array(weights) / np.maximum(most, 1) - right
                by_choice = self._by_choice(weights, place)
                for index in np.nonzero(excess > best[place])[0].tolist():
                    best[place][index] = excess[index]
                    rows[place, index] = WeightRow(by_choice, int(most[index]), self.moments[place][index])

        def separate(kind: int, vector: Any, right: float) -> None:
            weights = self.hulls[kind].separating(vector, right)
            if weights is not None:
                self.pool.append(weights)
                find(weights)

        for weights in self.pool:
            find(weights)
        for kind, vector, right in self._averages(running, rights):
            separate(kind, vector, right)
        singles = [(place, index) for place, own in enumerate(rights) for index in range(len(own))]
        for place, index in () if rows else singles[:MOST_SEPARATIONS]:
            if (place, index) not in rows:
                separate(self.kinds[place][index], running[place][index], rights[place][index])
        self.rows += rows.values()
        return list(rows.values())

    def _averages(self, running: Sequence[Any], rights: Sequence[Any]) -> list[tuple[int, Any, float]]:
        """Return kind, running jobs and right-hand side on average over the time of a kind at a place."""
        averages = []
        for place, (vectors, right) in enumerate(zip(running, rights, strict=True)):
            lengths = np.maximum(0, np.diff([*self.moments[place], self.spec.horizon]))
            for kind in sorted(set(self.kinds[place])):
                share = lengths * np.equal(self.kinds[place], kind)
                if share.sum() > 0:
                    averages.append((kind, share @ vectors / share.sum(), share @ right / share.sum()))
        return averages[:MOST_SEPARATIONS]

    def _running(self, point: Mapping[Any, float]) -> list[Any]:
        """Return the part of each item that runs: for each place an array of moments and items."""
        running = [np.zeros((len(moments), self.sets.items)) for moments in self.moments]
        for (name, index), value in point.items():
            if name == "start" and value > _NOISE:
                job, choice, start = index
                place, item, duration = self.choices[job, choice]
                moments = self.moments[place]
                first, end = bisect_left(moments, start), bisect_left(moments, start + duration)
                running[place][first:end, item] += value
        return running

    def _rights(self, point: Mapping[Any, float]) -> list[Any]:
        """Return for each place and moment 1, or the value of `beyond` if the makespan may be before it."""
        steps = [[step_of(self.spec, moment) for moment in moments] for moments in self.moments]
        return [np.array([1.0 if one is None else point["beyond", (one,)] for one in own]) for own in steps]

    def _by_choice(self, weights: Sequence[int], place: int) -> tuple[tuple[int, ...], ...]:
        """Return weights by item as weights of the choices at a place."""
        table = [[0] * (1 + max(choice for _, choice in self.choices)) for _ in range(1 + max(self.choices)[0])]
        for (job, choice), (own, item, _) in self.choices.items():
            table[job][choice] = weights[item] if own == place else 0
        return tuple(map(tuple, table))


class Hull(Master[tuple[int, ...]]):
    """Convex hull of the sets of one kind, as a linear program that grows: Σ x_S over the sets that cover a vector."""

    def __init__(self, sets: FeasibleSets, kind: int) -> None:
        super().__init__()
        self.sets, self.kind = sets, kind
        self.known: dict[tuple[int, ...], int] = {}  # M for weights
        for item in range(self.sets.items):
            self.program.add_row(0.0)
            self.add([(item,)])

    def terms(self, column: tuple[int, ...]) -> tuple[float, tuple[int, ...], list[float]]:
        return 1.0, column, [1.0] * len(column)

    def most(self, weights: tuple[int, ...]) -> int:
        """Return M: no set weighs more."""
        if weights not in self.known:
            self.known[weights] = self.sets.heaviest(weights, self.kind, 0)[0]
        return self.known[weights]

    def separating(self, vector: Sequence[float], right: float) -> tuple[int, ...] | None:
        """Return weights with Σ w · vector > M · right; None if there are none, up to `VIOLATION`."""
        for row, value in enumerate(vector):
            self.program.set_row(row, max(0.0, float(value)))
        while self.program.solve() > right + VIOLATION:
            duals = [max(0.0, dual) for dual in self.program.duals()]
            _, heavy = self.sets.heaviest([floor(dual * _SCALE) for dual in duals], self.kind, _SCALE)
            if not self.add(sorted(one for one in heavy if sum(duals[item] for item in one) > 1 + _NOISE)):
                weights = self._lifted(_integers(duals))
                return weights if max(self.most(weights), *weights) <= HEAVIEST else None
        return None

    def _lifted(self, weights: list[int]) -> tuple[int, ...]:
        """Return weights raised one after another as far as M permits."""
        most = self.most(tuple(weights))
        for item, weight in enumerate(weights):
            # With M more, every heaviest set has the item: it weighs at most M before.
            heaviest = self.sets.heaviest([*weights[:item], weight + most, *weights[item + 1 :]], self.kind, 0)[0]
            weights[item] += max(0, 2 * most - heaviest)
        return tuple(weights)


def _integers(duals: Sequence[float]) -> list[int]:
    """Return integers proportional to duals, exactly if these are close to fractions of a small denominator.

    The duals of a set add up to at most 1, so that M is at most `MOST_WEIGHT`, up to the tolerance of the duals.
    """
    near = [Fraction(dual).limit_denominator(_LARGEST_DENOMINATOR) for dual in duals]
    factor = lcm(*(one.denominator for one in near))
    if factor <= MOST_WEIGHT and all(abs(one - dual) < 1e-7 for one, dual in zip(near, duals, strict=True)):
        return [int(one * factor) for one in near]
    return [floor(dual * MOST_WEIGHT) for dual in duals]
