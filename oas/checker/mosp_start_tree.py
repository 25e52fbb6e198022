"""The bound "start tree": a tree over the starts of jobs on one cluster refutes a makespan.

The certificate is ``{"makespan": C, "mirrored": false, "order": [j, …], "measures": […], "codes": "…"}``: C in units
(the common divisor of all times in ticks); whether time runs backwards; the jobs of the tree in the order in which they
are tried; the measures; and how each node is closed, in the order in which they are met, a byte a node.

A node is a partial schedule at a moment, with the jobs that may start then: those that fit and could not start earlier.
A child starts one of them, and then only those after it in the order; of identical jobs none starts before one earlier
in the order. The last child goes on to the next moment at which a job may start; where a job yet to start could have
run before that, it goes on to the end instead.

*Theorem.* If each node is closed as its byte says, no schedule ends by C. Bytes: 0, the node's children follow; 1, no
job may start any more; 2, an earlier node at its moment's beginning, with all its children closed, dominates it: the
same jobs have started, with no greater sum of starts, and hold no more processors from here on; from 3 on, what is left
weighs more by measure 0, 1, … than there is room for (`mosp_measures`).

*Proof.* If some of the jobs cannot end in time, all cannot. Of the schedules of the jobs in the order that end by C
take one with the least sum of starts. There each job starts where it fits and could not start earlier, and identical
jobs can be named in the order of their starts. So it is found below the root, and at each open node below one child.
If it is found below a dominated node, put the starts of the earlier node in the place of those of this one: that is a
schedule with no greater sum, found below a node that was closed before. That cannot go on for ever, and the other
bytes close no node with a schedule below it. So there is none. Mirrored, the schedule is read backwards from C.
Locality is left out.
"""

from __future__ import annotations

from fractions import Fraction

from oas.checker.effort import Effort
from oas.checker.errors import refused
from oas.checker.mosp_instance import MospInstance
from oas.checker.mosp_measures import MeasureTable, measure_tables
from oas.checker.mosp_start_moves import PartialSchedule, RunningJobs, StartMoves
from oas.checker.mosp_timeline import Timeline
from oas.checker.mosp_weights import MAX_SUM_STEPS, read_makespan, read_mirrored
from oas.checker.packed_bytes import unpacked_bytes
from oas.checker.reading import fields_of, integer_of, list_of

MAX_START_NODES = 30_000_000
MAX_START_JOBS = 124  # of a tree of more than one node
MAX_START_LOOKS = 64  # nodes kept that a node is compared with
START_STEPS = 1_000_000  # nodes, and moments looked at for a job that may start
MAX_START_HELD = 16_000_000  # running jobs of all nodes kept, each of which counts as eight

OPEN_NODE, DEAD_NODE, DOMINATED_NODE, FIRST_MEASURE_CODE = range(4)


def check_mosp_start_tree(instance: MospInstance, certificate: object) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`; 0 if it refutes nothing."""
    document = fields_of(certificate, "certificate", "makespan", "mirrored", "order", "measures", "codes")
    makespan, mirrored = read_makespan(document["makespan"], 1), read_mirrored(document["mirrored"])
    ticks = instance.scaled()
    order = list_of(document["order"], "certificate.order", most=ticks.job_count)
    for place, job in enumerate(order):
        integer_of(job, f"certificate.order[{place}]", 0, ticks.job_count - 1)
    if not order or len(set(order)) < len(order):
        raise refused("certificate.order", "must hold some of the jobs, none twice")
    codes = unpacked_bytes(document["codes"], "certificate.codes", MAX_START_NODES)
    if not codes:
        raise refused("certificate.codes", "must hold a byte at least")
    if len(codes) > 1 and len(order) > MAX_START_JOBS:
        raise refused("certificate.order", f"at most {MAX_START_JOBS} jobs can be in a tree", len(order))
    timeline = Timeline.of(ticks, makespan, mirrored=mirrored)
    tables = measure_tables(document["measures"], timeline, ticks.processors[0], order, Effort(MAX_SUM_STEPS))
    effort = Effort(START_STEPS)
    refuted = StartTree(StartMoves(timeline, order, effort), tables, codes, effort).is_closed()
    return ticks.to_time((makespan + 1) * timeline.unit) if refuted else Fraction(0)


class StartTree:
    """A tree over the starts of some jobs, walked as its codes say."""

    def __init__(self, moves: StartMoves, tables: list[MeasureTable], codes: bytes, effort: Effort) -> None:
        self.moves, self.tables, self.codes, self.effort = moves, tables, codes, effort
        self.kept: dict[tuple[int, ...], list[tuple[int, int, RunningJobs]]] = {}
        self.held = 0

    def is_closed(self) -> bool:
        """Return whether every node is closed as its code says, and there is no code more."""
        root = self.moves.root()
        verdict = self.verdict(0, root)
        if verdict is not None:
            return verdict and len(self.codes) == 1
        path = [(root, self.moves.children(root))]
        nodes = 1
        while path:
            node, children = path[-1]
            child = next(children, None)
            if child is None:
                path.pop()
                if node.first:
                    self.keep(node)
                continue
            if not child.waiting or nodes == len(self.codes):  # it is a schedule, or a node without code
                return False
            self.effort.spend(1)
            verdict = self.verdict(nodes, child)
            nodes += 1
            if verdict is None:
                path.append((child, self.moves.children(child)))
            elif not verdict:
                return False
        return nodes == len(self.codes)

    def verdict(self, number: int, node: PartialSchedule) -> bool | None:
        """Return whether a node is closed as its code says; None if its children follow, as they may."""
        code = self.codes[number]
        if code == OPEN_NODE:
            return None if node.moment < self.moves.horizon else False
        if code == DEAD_NODE:
            return node.moment >= self.moves.horizon
        if code == DOMINATED_NODE:
            return node.first and self.is_dominated(node)
        measure = code - FIRST_MEASURE_CODE
        return measure < len(self.tables) and self.tables[measure].too_heavy(node.moment, node.waiting, node.running)

    def is_dominated(self, node: PartialSchedule) -> bool:
        """Return whether one of the nodes kept dominates this one."""
        for moment, total, running in reversed(self.kept.get(node.waiting, [])[-MAX_START_LOOKS:]):
            if moment <= node.moment and total <= node.total and self.holds_no_more(running, node):
                return True
        return False

    def holds_no_more(self, running: RunningJobs, node: PartialSchedule) -> bool:
        """Return whether jobs hold no more processors than in `node` at any moment from there on."""
        idle, ends = self.moves.idle, [end for end, _ in running if end > node.moment]
        return all(idle(end - 1, running) >= idle(end - 1, node.running) for end in ends)

    def keep(self, node: PartialSchedule) -> None:
        """Keep a node, all of whose children are closed, while there is room."""
        if self.held < MAX_START_HELD:
            self.kept.setdefault(node.waiting, []).append((node.moment, node.total, node.running))
            self.held += 8 + len(node.running)
