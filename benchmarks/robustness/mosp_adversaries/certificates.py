"""Adversaries, one for each certificate of MOSP: they use its rules as freely as the checker permits.

Each draws instances, makes certificates that need not come from any search, and yields what the checker proves by
them. Trees are grown by walking the checker's own tree: every node is closed by any rule that applies, in an order of
preference that is drawn at random.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from benchmarks.robustness.mosp_adversaries.instances import Specimen, draw_document, draw_specimen, optimum_of
from benchmarks.robustness.mosp_adversaries.proof_logs import LogWriter, changed_steps, packed
from oas.checker.effort import Effort
from oas.checker.mosp_document import read_mosp
from oas.checker.mosp_instance import ticks_in_units
from oas.checker.mosp_measures import MeasureTable, Timeline, measure_tables
from oas.checker.mosp_packing import SET_NO, SET_UNDECIDED, SET_YES, PackedJob, WindowSearch, can_run
from oas.checker.mosp_proof_log import mosp_axis
from oas.checker.mosp_start_tree import FIRST_MEASURE_CODE, OPEN_NODE, StartTree
from oas.checker.mosp_weights import heaviest_in_turn, heaviest_side_by_side, mosp_deadlines
from oas.checker.reading import Refused
from oas.checker.recheck import CERTIFIED_BOUNDS, SIMPLE_BOUNDS, digest_of, refute_by_enumeration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from random import Random

    from oas.checker.mosp_start_tree import PartialSchedule

CLIMBS = 12  # changes of one certificate
MOST_NODES = 3_000  # of a tree


@dataclass(frozen=True)
class Attempt:
    """The bound that the checker computes for an instance; 0 if it refuses the certificate."""

    specimen: Specimen
    name: str
    certificate: Any
    value: Fraction

    @property
    def proven(self) -> Fraction:
        """The bound rounded up to the grid, as for results."""
        tick = self.specimen.instance.ticks.tick
        return -(-self.value // tick) * tick

    @property
    def is_false(self) -> bool:
        """Whether the bound is above the optimum."""
        return self.proven > self.specimen.optimum


def attempt(specimen: Specimen, name: str, certificate: Any) -> Attempt:
    """Ask the checker about a certificate, None for a tree that could not be closed."""
    value, key = Fraction(0), ("mosp", name)
    if certificate is not None:
        try:
            if key in SIMPLE_BOUNDS:
                value = SIMPLE_BOUNDS[key](specimen.instance)
            else:
                value = CERTIFIED_BOUNDS[key](specimen.instance, certificate)
        except Refused:
            pass
    return Attempt(specimen, name, certificate, value)


def draw_weights(draw: Random, specimen: Specimen) -> list[int]:
    """Draw a weight for each job: zeros and ones, small or large numbers, or functions of the jobs and some noise."""
    ticks = specimen.instance.ticks
    count, size, kind = ticks.job_count, max(ticks.processors), draw.randrange(8)
    if kind < 3:
        most = (1, 4, 2**49)[kind]
        return [draw.randint(0, most) for _ in range(count)]
    rows = {
        3: list(ticks.widths),
        4: list(ticks.times),
        5: [time * width for time, width in zip(ticks.times, ticks.widths, strict=True)],
        6: [2 * (2 * width > size) + (2 * width == size) for width in ticks.widths],
        7: [width // draw.randint(1, size) for width in ticks.widths],
    }
    scale = draw.choice((1, 1, 2, 10))
    return [max(0, scale * one + draw.choice((0, 0, 0, 1, -1))) for one in rows[kind]]


def mutated(draw: Random, row: Sequence[int]) -> list[int]:
    """Return a row with one number changed, exchanged with another, or all numbers doubled and one changed."""
    row, at, kind = list(row), draw.randrange(len(row)), draw.randrange(4)
    if kind == 0:
        other = draw.randrange(len(row))
        row[at], row[other] = row[other], row[at]
        return row
    if kind == 1:
        row = [2 * one for one in row]
    row[at] = max(0, draw.choice((row[at] + 1, row[at] - 1, 0, 2 * row[at], draw.choice(row))))
    return row


def claimed(draw: Random, makespan: int) -> int:
    """Draw the makespan to be refuted: usually the optimum, so that each refutation is false."""
    return max(0, makespan + draw.choice((0, 0, 0, 0, 1, -1, -1, draw.randint(-3, 3))))


def simple_bounds(draw: Random) -> Iterator[Attempt]:
    """Compute the bounds without certificate data."""
    specimen = draw_specimen(draw, tied=draw.random() < 0.3)
    for problem, name in SIMPLE_BOUNDS:
        if problem == "mosp":
            yield attempt(specimen, name, {})


def configurations(draw: Random) -> Iterator[Attempt]:
    """Draw weights, and change them while the bound does not decrease."""
    specimen = draw_specimen(draw, tied=draw.random() < 0.3)
    best, value = draw_weights(draw, specimen), Fraction(0)
    for _ in range(CLIMBS):
        row = mutated(draw, best)
        found = attempt(specimen, "configurations", {"weights": row})
        yield found
        if found.value >= value:
            best, value = row, found.value


def two_dimensional(draw: Random) -> Iterator[Attempt]:
    """Draw lengths and heights, and change them while they do not fill the clusters less."""
    specimen = _static(draw)
    ticks = specimen.instance.ticks
    makespan, mirrored = claimed(draw, specimen.ticks), _mirrored(draw, specimen)
    deadlines = mosp_deadlines(ticks, makespan, mirrored=mirrored)

    def filled(times: Sequence[int], heights: Sequence[int]) -> Fraction:
        highest = heaviest_side_by_side(heights, ticks.widths, max(ticks.processors), Effort())
        room = 0
        for size in ticks.processors:
            fitting = [v if width <= size else 0 for v, width in zip(times, ticks.widths, strict=True)]
            room += heaviest_in_turn(fitting, ticks.times, deadlines, Effort()) * highest.within(size)
        weight = sum(v * y for v, y in zip(times, heights, strict=True))
        return Fraction(weight, room) if room else Fraction(weight)

    times, heights = draw_weights(draw, specimen), draw_weights(draw, specimen)
    best = filled(times, heights)
    for _ in range(CLIMBS):
        pair = (mutated(draw, times), heights) if draw.random() < 0.5 else (times, mutated(draw, heights))
        yield attempt(
            specimen,
            "two-dimensional",
            {"makespan": makespan, "times": pair[0], "heights": pair[1], "mirrored": mirrored},
        )
        value = filled(*pair)
        if value >= best:
            (times, heights), best = pair, value


def _static(draw: Random) -> Specimen:
    """Draw an instance for certificates that ignore reservations, and consider either releases or deadlines."""
    return draw_specimen(draw, static=draw.random() < 0.8)


def _mirrored(draw: Random, specimen: Specimen) -> bool:
    """Prefer the direction in which the releases or the deadlines count."""
    return (specimen.instance.locality is None) == (draw.random() < 0.8)


def partitions(draw: Random) -> Iterator[Attempt]:
    """Draw several lists of weights and the steps of a packing."""
    specimen = _static(draw)
    for _ in range(4):
        rows = [draw_weights(draw, specimen) for _ in range(draw.choice((0, 1, 1, 2, 3)))]
        certificate = {
            "makespan": claimed(draw, specimen.ticks),
            "weights": rows,
            "steps": draw.choice((1, 2, 5, 20, 100, 1000, 5000)),
            "mirrored": _mirrored(draw, specimen),
        }
        yield attempt(specimen, "partitions", certificate)


def start_tree(draw: Random) -> Iterator[Attempt]:
    """Draw an order of some jobs and measures, and close the nodes of the tree by any rules that apply."""
    specimen = draw_specimen(draw, clusters=1, tied=draw.random() < 0.1)
    ticks = specimen.instance.ticks
    if ticks.job_count < 5 and draw.random() < 0.8:
        return
    for _ in range(10):
        mirrored, jobs = draw.random() < 0.5, range(ticks.job_count)
        priced = draw.random() < 0.4  # without measures more nodes are recorded, which may dominate others
        unit = Timeline.of(ticks, 1, mirrored=mirrored).unit
        makespan = specimen.ticks // unit
        makespan = max(1, claimed(draw, makespan) if priced else makespan)
        timeline = Timeline.of(ticks, makespan, mirrored=mirrored)
        order = draw.sample(jobs, len(jobs) if draw.random() < 0.8 else draw.randint(1, len(jobs)))
        measures = [
            _climbed(draw, specimen, timeline, order) for _ in range(draw.choice((1, 1, 2, 4)) if priced else 0)
        ]
        tree = StartTree(timeline, order, measure_tables(measures, timeline, order, Effort()), Effort())
        codes = grown_codes(draw, tree)
        head = {"makespan": makespan, "mirrored": mirrored, "order": order, "measures": measures}
        packed = None if codes is None else b64encode(zlib.compress(codes)).decode()
        yield attempt(specimen, "start tree", None if packed is None else {**head, "codes": packed})


def _climbed(draw: Random, specimen: Specimen, timeline: Timeline, order: list[int]) -> list[dict[str, Any]]:
    """Draw a measure, and change it while the root is not further from being closed by it."""

    def drawn() -> dict[str, Any]:
        weights = [min(one, 2**20) for one in draw_weights(draw, specimen)]
        return {"weights": weights, "prices": _prices(draw, timeline.horizon)}

    def excess(parts: list[dict[str, Any]]) -> int:
        table: MeasureTable = measure_tables([parts], timeline, order, Effort())[0]
        return sum(least[0] for least in table.least) - table.room[0]

    best = [drawn() for _ in range(draw.choice((1, 1, 2, 3)))]
    value = excess(best)
    for _ in range(draw.choice((0, 0, 4, 12))):
        parts, at = list(best), draw.randrange(len(best))
        if draw.random() < 0.5:
            parts[at] = {**parts[at], "weights": mutated(draw, parts[at]["weights"])}
        else:
            parts[at] = {**parts[at], "prices": _prices(draw, timeline.horizon)}
        if excess(parts) >= value:
            best, value = parts, excess(parts)
    return best


def _prices(draw: Random, horizon: int) -> list[list[int]]:
    """Draw prices of intervals that need not touch."""
    if draw.random() < 0.3:
        return [[0, horizon, 1]]
    cuts = sorted(draw.sample(range(horizon + 1), min(horizon + 1, draw.randint(2, 6))))
    return [[first, end, draw.randint(0, 3)] for first, end in pairwise(cuts) if draw.random() < 0.8]


def grown_codes(draw: Random, tree: StartTree) -> bytes | None:
    """Return the codes of a tree closed by any rules that apply; None if it reaches a schedule or grows too large."""
    path: list[tuple[PartialSchedule | None, Iterator[PartialSchedule]]] = [(None, iter([tree.root()]))]
    codes, opened = bytearray(), draw.choice((0, 0.1, 0.5))
    count = FIRST_MEASURE_CODE + len(tree.tables)
    while path:
        node, children = path[-1]
        child = next(children, None)
        if child is None:
            path.pop()
            if node is not None and node.first:
                tree.keep(node)
            continue
        if not child.waiting or len(codes) == MOST_NODES:
            return None
        rules = draw.sample(range(1, count), count - 1)
        code = next((rule for rule in rules if tree.closes(child, rule)), OPEN_NODE)
        if code != OPEN_NODE and child.moment < tree.horizon and draw.random() < opened:
            code = OPEN_NODE
        codes.append(code)
        if code == OPEN_NODE:
            path.append((child, tree.children(child)))
    return bytes(codes)


def packings(draw: Random) -> Iterator[Attempt]:
    """Pack a set of jobs by both searches of the checker; deadlines result from the releases, as for mirrored time.

    The bound is false if a search refutes a set that has a schedule, or finds a schedule that does not exist.
    """
    specimen = draw_specimen(draw, clusters=1, static=True, tied=False)
    ticks, size = specimen.instance.ticks, specimen.instance.ticks.processors[0]
    makespan = specimen.ticks + draw.choice((0, 0, 0, 1, -1))
    deadlines = mosp_deadlines(ticks, makespan, mirrored=True)
    places = sorted(range(ticks.job_count), key=lambda job: deadlines[job] - ticks.times[job])
    jobs = [
        PackedJob(ticks.times[j], ticks.widths[j], deadlines[j] - ticks.times[j], (ticks.widths[j],)) for j in places
    ]
    if jobs[0].latest < 0:
        return
    claims = [can_run(jobs, size, makespan, [size], limit)[0] for limit in (draw.randint(1, 60), 10**5)]
    times, widths, latest, _ = zip(*jobs, strict=True)
    for limit in (1, draw.randint(1, 40), 10**4):
        impossible, taken = WindowSearch(times, widths, latest, size, makespan).cannot_run(limit)
        claims.append(SET_NO if impossible else SET_YES if taken < limit else SET_UNDECIDED)
    for claim in claims:
        wrong = claim == (SET_NO if makespan >= specimen.ticks else SET_YES)
        yield Attempt(specimen, "packing", {}, specimen.optimum + wrong if claim != SET_UNDECIDED else Fraction(0))


def proof_log(draw: Random) -> Iterator[Attempt]:
    """Search for a refutation by the rules of the checker, and derive as few and as general clauses as it allows."""
    specimen = draw_specimen(draw)
    coarse, unit = ticks_in_units(specimen.instance.ticks)
    for _ in range(3):
        makespan = claimed(draw, specimen.ticks // unit)
        writer = LogWriter(mosp_axis(coarse, makespan), draw)
        closed = writer.refutes()
        certificate = {"makespan": makespan, "steps": packed(writer.steps)}
        yield attempt(specimen, "proof log", certificate if closed else None)
        for _ in range(4 if closed else 0):  # of a shorter makespan, or a changed one
            steps = changed_steps(draw, writer.steps)
            claim = claimed(draw, specimen.ticks // unit)
            yield attempt(specimen, "proof log", {"makespan": claim, "steps": packed(steps)})


def enumeration(draw: Random) -> Iterator[Attempt]:
    """Claim the optimum, which must be confirmed, and a bound above it."""
    specimen = draw_specimen(draw, most_jobs=7 if draw.random() < 0.1 else 6)
    tick = specimen.instance.ticks.tick
    refute_by_enumeration(specimen.instance, specimen.optimum)
    yield Attempt(specimen, "enumeration", {}, specimen.optimum)
    for claim in (specimen.optimum + tick, specimen.optimum + tick * Fraction(1, draw.randint(2, 9))):
        try:
            refute_by_enumeration(specimen.instance, claim)
        except Refused as error:
            if f"above the makespan {specimen.optimum} that" in str(error):
                claim = Fraction(0)
        yield Attempt(specimen, "enumeration", {}, claim)


def digests(draw: Random) -> Iterator[Attempt]:
    """Change an instance: one with another optimum must have another digest. The bound is false if it has not."""
    document = draw_document(draw, most_jobs=5)
    other = json.loads(json.dumps(document))
    organization = draw.choice(other["organizations"])
    kind = draw.randrange(6)
    if kind == 0:
        other["locality"] = draw.choice((None, 1, "5/4", 2))
    elif kind == 1:
        organization["processors"] += 1
    elif kind == 2 and organization["jobs"]:
        job = draw.choice(organization["jobs"])
        job[draw.choice(("time", "release"))] = str(draw.randint(1, 4))
    elif kind == 3 and organization["reservations"]:
        organization["reservations"].pop()
    elif kind == 4:
        other["organizations"].append(other["organizations"].pop(0))
    elif isinstance(other["local"], str):
        other["local"] = draw.choice(("HF", "LPT", "SPT", "SJF"))
    elif not organization["reservations"]:  # a later local schedule, and so a later deadline
        for job in organization["jobs"]:
            other["local"][job["id"]] = str(Fraction(other["local"][job["id"]]) + 1)
    try:
        first, second = (Specimen(one, read_mosp(one), optimum_of(one)) for one in (document, other))
    except Refused:
        return
    same = digest_of(first.instance) == digest_of(second.instance)
    yield Attempt(first, "digest", other, first.optimum + (same and first.optimum != second.optimum))


ADVERSARIES: dict[str, Callable[[Random], Iterator[Attempt]]] = {
    "simple bounds": simple_bounds,
    "configurations": configurations,
    "two-dimensional": two_dimensional,
    "packings": packings,
    "partitions": partitions,
    "proof log": proof_log,
    "start tree": start_tree,
    "enumeration": enumeration,
    "digests": digests,
}
