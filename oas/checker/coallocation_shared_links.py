"""The co-allocation bound *shared links*, if saturated links slow jobs down.

**Theorem.** Let the weight of job j in a slot or unit of time be w_j·(its progress) + u_j / (minimum slots of its
option). If jobs that run together never weigh more than W, the makespan is at least Σ (w_j + u_j) / W.

**Proof.** The progress of each job adds up to 1, with slots to at least 1, since its last slot may be longer than
needed. The terms u_j / (minimum slots) add up to at least u_j, since no job is faster than alone: then it has the
smaller of its demand and MBW of each link, and it never has more of a link. So the total weight of all jobs over the
schedule is at least Σ (w_j + u_j), and at most W in each slot or unit of time, in which no job starts or ends.

**Certificate.** ``{"tree": [node, …]}`` in preorder (`oas.checker.trees`), over the options of the jobs
(`oas.checker.coallocation_spread`). A node ``{"before": [a, b]}`` has two children: in the first event a is no later
than event b, in the second b no later than a; the start of job j is event 2j, its end 2j + 1. A leaf
``{"weights": [w, …], "slots": [u, …], "capacity": W}`` proves the bound of the theorem for jobs that can run together
in this order of events, and the time of the longest job alone. Without slots every u is 0. The smallest leaf counts:
each schedule belongs to a leaf, because the parts of a job leave out no option, and of two events one is no later. The
first of two identical jobs starts no later, because they can exchange their names; the tree refers to the jobs
afterwards. A leaf is left out if its order makes a job end no later than its start, since every job takes time.
Weights, slots and capacities are integers, or texts of their digits, which may be long.

An exhaustive search confirms that jobs never weigh more than W. A set of jobs counts if it fits, no two are separated
(one ends before the other starts), and the order allows a moment at which exactly these run (`EventOrder.allows`).
Whatever is true of a schedule's moment remains true of it here, so no set of a real schedule is left out. Alongside
further jobs, a job weighs no more than alone; if links are shared as in the paper it weighs no more than now, since
further jobs never make others faster. If they are shared by max-min, further jobs may make others faster, so the search
continues with the weights alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil
from typing import Any, NamedTuple

from oas.checker.coallocation_heaviest import heaviest_set
from oas.checker.coallocation_instance import CoallocationInstance
from oas.checker.coallocation_spread import OptionItem, SlowedOptions
from oas.checker.effort import Effort
from oas.checker.reading import fields_of, integer_of, list_of, refused
from oas.checker.trees import MOST_CHOICE_NODES, ChoicesLeft, split_choices, walk_tree

MOST_SHARED_JOBS = 5_000
MOST_SHARED_SETS = 4_000_000  # weighed sets of jobs, in all leaves together
PRICED_WHOLE = 1 << 60  # the capacity in the integer units of the search


class EventOrder:
    """A partial order of events."""

    def __init__(self, earlier: dict[int, int]) -> None:
        # By event: bits of the events that are no later, including itself; an event may be missing if only the order of
        # its own job's start and end is known.
        self.earlier = earlier

    def before(self, event: int) -> int:
        """Return the bits of the events that are no later, including itself."""
        return self.earlier.get(event) or (3 << event - 1 if event % 2 else 1 << event)

    def with_before(self, first: int, second: int) -> EventOrder:
        """Return this order with the further condition that the event `first` is no later than `second`."""
        added = self.before(first)
        earlier = dict(self.earlier)
        for event in {*earlier, second, second | 1}:
            mask = self.before(event)
            if mask >> second & 1:
                earlier[event] = mask | added
        return EventOrder(earlier)

    @property
    def possible(self) -> bool:
        """Whether every job can end after its start."""
        return not any(event % 2 == 0 and mask >> event + 1 & 1 for event, mask in self.earlier.items())

    def separates(self, first: int, second: int) -> bool:
        """Return whether one of two jobs ends before the other starts."""
        ended = self.earlier.get(2 * first, 0) >> 2 * second + 1 | self.earlier.get(2 * second, 0) >> 2 * first + 1
        return bool(ended & 1)

    def allows(self, running: int) -> bool:
        """Return whether at some moment exactly these jobs, given as bits, can run.

        Their starts have happened then, and with each event all events that are no later. Any other job that has
        started must have ended. If this does not include the end of a running job, all other events can be later.
        """
        past = 0
        waiting = [2 * job for job in _bits(running)]
        while waiting:
            added = self.before(waiting.pop()) & ~past
            past |= added
            for event in _bits(added):
                job = event // 2
                if running >> job & 1:
                    if event % 2:
                        return False
                elif not past >> 2 * job + 1 & 1:
                    waiting.append(2 * job + 1)
        return True


def order_of_alike_jobs(instance: CoallocationInstance) -> EventOrder:
    """Return an order that may be assumed: the first of two jobs that differ only in their names starts no later."""
    order = EventOrder({})
    last: dict[tuple[object, ...], int] = {}
    for index, (_, *kind) in enumerate(instance.jobs):
        if tuple(kind) in last:
            order = order.with_before(2 * last[tuple(kind)], 2 * index)
        last[tuple(kind)] = index
    return order


def _bits(number: int) -> Iterator[int]:
    """Yield the positions of the bits of a number, ascending."""
    while number:
        lowest = number & -number
        number ^= lowest
        yield lowest.bit_length() - 1


SharedCase = tuple[ChoicesLeft, EventOrder]


def check_coallocation_shared_links(instance: CoallocationInstance, certificate: Any) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`."""
    if not instance.saturation.slows:
        raise refused("certificate", "is for saturated links that slow jobs down, which this instance forbids")
    if len(instance.jobs) > MOST_SHARED_JOBS:
        raise refused("certificate", f"more than {MOST_SHARED_JOBS:,} jobs")
    options = SlowedOptions(instance, Effort())
    jobs, choices = len(options.rows), [range(len(row)) for row in options.rows]
    steps = Effort(MOST_SHARED_SETS)
    proven: list[Fraction] = []

    def visit(node: Any, where: str, case: SharedCase) -> list[SharedCase]:
        left, order = case
        if type(node) is dict and "weights" in node:
            proven.extend(_shared_leaf(node, where, left, order, options, steps))
            return []
        if type(node) is dict and "before" in node:
            fields_of(node, where, "before")
            # The memory of an order grows with the number of jobs.
            options.effort.hold((1 + len(order.earlier)) * (32 + jobs // 8))
            events = list_of(node["before"], f"{where}.before", count=2)
            first, second = (integer_of(event, f"{where}.before") for event in events)
            if first == second or max(events) >= 2 * jobs:
                raise refused(f"{where}.before", "must be two different events", events)
            return [(left, order.with_before(first, second)), (left, order.with_before(second, first))]
        return [(child, order) for child in split_choices(node, where, left, choices, options.effort)]

    root: SharedCase = ({}, order_of_alike_jobs(instance))
    walk_tree(fields_of(certificate, "certificate", "tree")["tree"], root, visit, MOST_CHOICE_NODES)
    if not proven:
        raise refused("certificate.tree", "no order of starts and ends is left")
    steps_proven = min(proven)
    return (ceil(steps_proven) if options.slotted else steps_proven) * options.span  # slots are rounded up


def _shared_leaf(
    node: Any, where: str, left: ChoicesLeft, order: EventOrder, options: SlowedOptions, steps: Effort
) -> list[Fraction]:
    """Return a list with the bound of a leaf, in slots or units of time; an empty one if its order is impossible."""
    fields_of(node, where, "weights", "slots", "capacity")
    weights, slots = (_long_integers(node[name], f"{where}.{name}", len(options.rows)) for name in ("weights", "slots"))
    if any(slots) and not options.slotted:
        raise refused(f"{where}.slots", "there are no slots")
    capacity = long_integer(node["capacity"], f"{where}.capacity")
    if not order.possible:
        return []
    options.effort.spend(sum(map(len, options.rows)))
    least = Fraction(0)
    for job, row in enumerate(options.rows):
        remaining = [row[index] for index in left.get(job, range(len(row)))]
        least = max(least, min(Fraction(one.slots) if options.slotted else one.alone for one in remaining))
    if capacity:
        leaf = SharedLeaf(options, left, weights, slots, capacity, order)
        if leaf.can_exceed_capacity(steps):
            raise refused(where, "jobs that can run together weigh more than the capacity", capacity)
        least = max(least, Fraction(sum(weights) + sum(slots), capacity))
    return [least]


class SharedLeaf(NamedTuple):
    """A leaf with a capacity."""

    options: SlowedOptions
    left: ChoicesLeft
    weights: Sequence[int]
    slots: Sequence[int]
    capacity: int  # above 0
    order: EventOrder

    def can_exceed_capacity(self, steps: Effort) -> bool:
        """Return whether jobs that can run together may weigh more than the capacity; each set counts as a step."""
        options, scaled = self.options, self.options.scaled
        shares_worst = options.instance.saturation.sharing == "paper"
        alone: dict[OptionItem, int] = {}
        jobs = []
        for job, row in enumerate(options.rows):
            items = [(job, option) for option in self.left.get(job, range(len(row)))]
            alone |= {item: self._share([item], [1 / row[item[1]].alone]) for item in items}
            items.sort(key=lambda item: (-alone[item], sum(options.rows[item[0]][item[1]].loads), item))
            jobs.append((scaled.tasks[job], [(alone[item], item) for item in items]))
        # For the first 0, 1, … chosen jobs: bits, free nodes by class, free links, and an upper bound on their weight.
        states = [(0, options.sizes, scaled.link_capacity, 0)]

        def weigh(items: Sequence[OptionItem]) -> tuple[int, int] | None:
            job, option = items[-1]
            running, free, links, most = states[len(items) - 1]
            if any(self.order.separates(job, member) for member, _ in items[:-1]):
                return None
            free = tuple(map(int.__sub__, free, options.rows[job][option].counts))
            links = tuple(map(int.__sub__, links, options.rows[job][option].loads))
            if min(free) < 0 or min(links) < 0:
                return None
            running, most = running | 1 << job, most + alone[job, option]
            steps.spend(1)
            options.effort.spend(2 * (len(items) + len(free)))
            weight = 0
            if most > PRICED_WHOLE:
                options.effort.spend(30 * len(items))
                users = [options.rows[member][choice].user for member, choice in items]
                weight = self._share(items, options.progress(users))
                most = min(most, weight) if shares_worst else most
            states[len(items) :] = [(running, free, links, most)]
            return weight if weight > PRICED_WHOLE and self.order.allows(running) else 0, most

        nodes = options.instance.node_count
        return heaviest_set(jobs, nodes, weigh, options.effort, floor=PRICED_WHOLE) > PRICED_WHOLE

    def _share(self, items: Sequence[OptionItem], progress: Sequence[Fraction]) -> int:
        """Return the weight of jobs with this progress, in units of the search, rounded up."""
        weight, unit = 0, 1
        for (job, option), rate in zip(items, progress, strict=True):
            slots, (done, whole) = self.options.rows[job][option].slots, rate.as_integer_ratio()
            weight = weight * whole * slots + (self.weights[job] * done * slots + self.slots[job] * whole) * unit
            unit *= whole * slots
        return -(-weight * PRICED_WHOLE // (unit * self.capacity))


def _long_integers(value: object, where: str, count: int) -> list[int]:
    return [long_integer(one, where) for one in list_of(value, where, count)]


def long_integer(value: object, where: str) -> int:
    """Return an integer of at least 0, given as such or as a text of up to 4,000 digits."""
    if type(value) is str and len(value) <= 4_000 and value.isascii() and value.isdigit():
        return int(value)
    if type(value) is not int or value < 0 or value.bit_length() > 12_000:
        raise refused(where, "must be an integer of at least 0 within its range")
    return value
