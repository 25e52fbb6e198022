"""The bound *shared links* of co-allocation, where saturated links slow jobs down.

``{"tree": [node, …]}`` in preorder. ``{"job": j, "parts": [[a, …], …]}`` shares out the options that job j still has.
``{"before": [a, b]}`` has two children: in the first event a is no later than event b, in the second b no later than a.
``{"weights": [w, …], "slots": [u, …], "capacity": W}`` proves: if no jobs that can run together weigh more than W in a
slot or unit of time, each w_j·(its progress) + u_j / (slots that its option takes at least), then all jobs take at
least Σ (w_j + u_j) / W; and no less than the longest job alone. The least leaf counts.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from oas.checker.coallocation_event_order import EventOrder, order_of_alike_jobs
from oas.checker.coallocation_instance import CoallocationInstance
from oas.checker.coallocation_options import SlowedOptions, long_integer
from oas.checker.coallocation_shared_pricing import SharedPricing
from oas.checker.effort import Effort
from oas.checker.errors import refused
from oas.checker.reading import fields_of, list_of

MOST_SHARED_NODES = 20_000
MOST_SHARED_JOBS = 5_000
MOST_SHARED_SETS = 4_000_000
"""Sets of jobs that are looked at, of all leaves together."""


class SharedLeaf(NamedTuple):
    """A leaf: options left of jobs that have lost some, the order, and w, u and W."""

    left: dict[int, frozenset[int]]
    order: EventOrder
    weights: list[int]
    slots: list[int]
    capacity: int


def check_coallocation_shared_links(instance: CoallocationInstance, certificate: Any) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`.

    Raises
    ------
    Refused
        If it is malformed, does not cover every choice, some jobs weigh more than a leaf says, or it would take too
        long to check.
    """
    if len(instance.jobs) > MOST_SHARED_JOBS:
        raise refused("certificate", f"more than {MOST_SHARED_JOBS:,} jobs")
    options = SlowedOptions(instance, Effort())
    steps = Effort(MOST_SHARED_SETS)
    proven = []
    for number, leaf in enumerate(_shared_leaves(certificate, options)):
        if not leaf.order.possible:
            continue
        least = _longest_alone(options, leaf)
        if leaf.capacity:
            pricing = SharedPricing(options, leaf.left, leaf.weights, leaf.slots, leaf.capacity, leaf.order)
            if pricing.is_exceeded(steps):
                raise refused(f"certificate: leaf {number}", "jobs that can run together weigh more than the capacity")
            least = max(least, Fraction(sum(leaf.weights) + sum(leaf.slots), leaf.capacity))
        proven.append(least)
    if not proven:
        raise refused("certificate.tree", "no order of starts and ends is left")
    return options.to_time(min(proven))


def _longest_alone(options: SlowedOptions, leaf: SharedLeaf) -> Fraction:
    """Return what the longest job takes alone, in slots or units of time, each with its best option."""
    options.effort.spend(sum(map(len, options.rows)))
    longest = Fraction(0)
    for job, row in enumerate(options.rows):
        kept = leaf.left.get(job)
        own = [option for index, option in enumerate(row) if kept is None or index in kept]
        longest = max(longest, min(Fraction(one.slots) if options.slotted else one.alone for one in own))
    return longest


def _shared_leaves(certificate: Any, options: SlowedOptions) -> list[SharedLeaf]:
    """Read the tree; what it covers follows from the instance and the parts, not from what a leaf says."""
    tree = fields_of(certificate, "certificate", "tree")["tree"]
    leaves = []
    waiting: list[tuple[dict[int, frozenset[int]], EventOrder]] = [({}, order_of_alike_jobs(options.instance))]
    for index, node in enumerate(list_of(tree, "certificate.tree", most=MOST_SHARED_NODES)):
        where = f"certificate.tree[{index}]"
        if not waiting:
            raise refused(where, "no choice of options is left for it")
        left, order = waiting.pop()
        if type(node) is dict and "weights" in node:
            leaves.append(_shared_leaf(node, where, left, order, options))
        elif type(node) is dict and "before" in node:
            fields_of(node, where, "before")
            # What is kept of an order grows with the jobs.
            options.effort.hold((1 + len(order.earlier)) * (32 + len(options.rows) // 8))
            one, two = _two_events(node["before"], f"{where}.before", len(options.rows))
            waiting += [(left, order.with_before(two, one)), (left, order.with_before(one, two))]
        else:
            fields_of(node, where, "job", "parts")
            children = _option_parts(node["job"], node["parts"], left, options, where)
            waiting += [(child, order) for child in reversed(children)]
    if waiting:
        raise refused("certificate.tree", "does not cover every choice of options")
    return leaves


def _shared_leaf(
    node: dict[str, Any], where: str, left: dict[int, frozenset[int]], order: EventOrder, options: SlowedOptions
) -> SharedLeaf:
    fields_of(node, where, "weights", "slots", "capacity")
    weights, slots = (
        [long_integer(one, f"{where}.{name}") for one in list_of(node[name], f"{where}.{name}", len(options.rows))]
        for name in ("weights", "slots")
    )
    if any(slots) and not options.slotted:
        raise refused(f"{where}.slots", "there are no slots")
    return SharedLeaf(left, order, weights, slots, long_integer(node["capacity"], f"{where}.capacity"))


def _two_events(value: Any, where: str, jobs: int) -> list[int]:
    events = [long_integer(one, where) for one in list_of(value, where, 2)]
    if events[0] == events[1] or max(events) >= 2 * jobs:
        raise refused(where, "must be two different events", events)
    return events


def _option_parts(
    job: Any, parts: Any, left: dict[int, frozenset[int]], options: SlowedOptions, where: str
) -> list[dict[int, frozenset[int]]]:
    job = long_integer(job, f"{where}.job")
    if job >= len(options.rows):
        raise refused(f"{where}.job", "there is no such job", job)
    rest = set(left.get(job, range(len(options.rows[job]))))
    most = len(rest)
    children = []
    for number, part in enumerate(list_of(parts, f"{where}.parts", most=most)):
        place = f"{where}.parts[{number}]"
        kept = [long_integer(one, place) for one in list_of(part, place, most=most)]
        if not kept or len(set(kept)) < len(kept) or not rest.issuperset(kept):
            raise refused(place, "must be options that the job has here and no other part has")
        rest.difference_update(kept)
        options.effort.hold(64 * (len(left) + 1))
        children.append({**left, job: frozenset(kept)})
    if rest or len(children) < 2:
        raise refused(f"{where}.parts", "must be at least two parts that leave out no option")
    return children
