"""The certificate of a tree over starts, and its re-check.

The certificate is ``{"makespan": C, "mirrored": false, "order": [j, …], "measures": […], "codes": "…"}``: C in units
(the common divisor of all times in ticks); whether time runs backwards; the jobs of the tree in the order in which they
are tried (where some of the jobs cannot end in time, all cannot); the measures; and how each node of the tree is
closed, in the order in which they are met: a byte a node, compressed by zlib, in base64. Bytes: 0, its children follow;
1, no job may start any more; 2, an earlier node dominates it; from 3 on, by a measure. The re-check walks the tree
again, in integers; nothing is looked for but the dominating node, whose state is compared itself. Locality is left out.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from oas.bounds.budget import CALL, LINE, MAX_STEPS, Budget
from oas.bounds.mosp.knapsack import knapsack_steps
from oas.bounds.mosp.start_tree import kernels
from oas.bounds.mosp.start_tree.arrays import MAX_JOBS, MAX_STATES, make_memory, make_problem
from oas.bounds.mosp.start_tree.kernels import Problem
from oas.bounds.mosp.start_tree.measures import NEVER, parse_measures
from oas.bounds.mosp.start_tree.timeline import Timeline
from oas.bounds.reading import bytes_of, fields_of, flag_of, integer_of, list_of
from oas.core.errors import InputError, TooLargeError
from oas.problems.mosp.ticks import MAX_TICKS, coarsened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oas.bounds.mosp.start_tree.measures import Measure
    from oas.problems.mosp.instance import MospInstance

MAX_NODES = 30_000_000
NO_CODE = 255  # ends the codes: it closes no node


def value(instance: MospInstance, certificate: Mapping[str, object]) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing.

    Raises
    ------
    InputError
        If the certificate is malformed, or the instance too large for one.
    """
    fields = fields_of(certificate, "certificate", "makespan", "mirrored", "order", "measures", "codes")
    makespan = integer_of(fields["makespan"], "certificate.makespan", MAX_TICKS - 1, least=1)
    mirrored = flag_of(fields["mirrored"], "certificate.mirrored")
    scaled, unit = coarsened(instance.scaled())
    jobs = scaled.job_count
    order = list_of(fields["order"], "certificate.order")
    if any(type(job) is not int for job in order):
        raise InputError("must be a list of integers", field="certificate.order")
    if not order or len(set(order)) != len(order) or not 0 <= min(order) <= max(order) < jobs:
        raise InputError(f"must hold some of 0 to {jobs - 1}, none twice", field="certificate.order")
    codes = bytes_of(fields["codes"], "certificate.codes", MAX_NODES)
    if not codes:
        raise InputError("must hold a byte at least", field="certificate.codes")
    measures = parse_measures(fields["measures"], jobs, makespan)
    try:
        timeline = Timeline.of(scaled, makespan, mirrored=mirrored)
        Budget().spend(_tables_steps(timeline, measures, len(order)), "certificate.measures")
        refuted = is_refuted(timeline, measures, order, codes)
    except TooLargeError as error:
        raise InputError(str(error), field="certificate") from error
    return instance.scaled().to_time((makespan + 1) * unit) if refuted else Fraction(0)


def _tables_steps(timeline: Timeline, measures: Sequence[Measure], jobs: int) -> int:
    """Return what weighing jobs and units of time by the measures costs, in steps of a `Budget`."""
    scaled, parts = timeline.scaled, [part for measure in measures for part in measure]
    rows = 8 * jobs * (timeline.horizon + CALL)
    steps = len(measures) * rows
    for part in parts:
        if steps > MAX_STEPS:
            break
        steps += knapsack_steps(part.weights, scaled.widths, scaled.processors[0]) + scaled.job_count * LINE
        steps += rows + 30 * timeline.horizon + LINE * len(part.prices)
    return steps


def is_refuted(timeline: Timeline, measures: Sequence[Measure], order: Sequence[int], codes: bytes) -> bool:
    """Walk the tree; return whether it is closed as the codes say, and all of them are used.

    Raises
    ------
    TooLargeError
        If the instance is too large for a tree, or for these measures, or the walk takes too long.
    """
    if len(codes) > 1 and len(order) > MAX_JOBS:
        raise TooLargeError(f"{len(order):,} jobs; at most {MAX_JOBS:,} can be in a tree of more than one node")
    problem = make_problem(timeline, measures, order)
    read = np.frombuffer(codes + bytes([NO_CODE]), dtype=np.uint8).copy()
    memory = make_memory(len(order), timeline.horizon, read, min(MAX_STATES, len(codes)), replay=True)
    kernels.begin(problem, memory)
    status, left = kernels.SEARCHING, len(codes) + 1
    while status == kernels.SEARCHING and left > 0 and memory.state[kernels.WORK] <= kernels.MOST_WORK:
        taken = kernels.search.at_once(left)
        status = kernels.search(problem, memory, taken)
        left -= taken
    if memory.state[kernels.WORK] > kernels.MOST_WORK:
        raise TooLargeError(f"the walk takes more than {kernels.MOST_WORK:,} steps")
    return bool(status == kernels.REFUTED and memory.state[kernels.NODES] == len(codes))


def _nothing() -> Problem:
    """One job of one unit on a processor, in no time."""
    lists = ([1, 0, 1, 1], [1], [1], [0], [0], [-1], [0], [0], [NEVER], [0])
    return Problem(*(np.array(one, dtype=np.int64) for one in lists))


def write_codes(codes: Any) -> str:
    """Return codes as the certificate has them."""
    return b64encode(zlib.compress(bytes(codes), 9)).decode("ascii")
