"""The certificate of the bound by shared links, and its re-check in exact arithmetic.

The certificate is ``{"tree": [node, …]}``, the nodes in preorder. An inner node ``{"job": j, "parts": [[a, …], …]}``
shares out the options that job j still has. An inner node ``{"before": [a, b]}`` has two children: in the first event a
is no later than event b, in the second b no later than a; the start of job j is event 2j, its end 2j + 1. A leaf
``{"weights": [w, …], "slots": [u, …], "capacity": W}`` proves: if no configuration that options and order allow weighs
more than W in a slot or unit of time, where job j weighs w_j·(its progress) + u_j / (slots that its option takes at
least), then all jobs take at least Σ (w_j + u_j) / W, for each job's progress adds up to 1, and so do the shares of its
slots. Of two jobs that are alike the first is taken to start no later. Without slots every u is 0. Numbers are
integers, or texts of their digits, which may be long.

That no configuration weighs more is found here again, by exhaustive search over all of them, not only over those to
which no job can be added: jobs that join slow others down.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from oas.bounds.budget import LINE, Budget
from oas.bounds.coallocation.saturated.options import Allowed, Options
from oas.bounds.coallocation.saturated.order import Order, first_order
from oas.bounds.coallocation.saturated.pricing import MAX_EFFORT, Pricing
from oas.bounds.reading import fields_of, list_of
from oas.core.errors import InputError, TooLargeError

if TYPE_CHECKING:
    from oas.problems.coallocation.instance import CoallocationInstance

MAX_NODES = 20_000
MAX_CELLS = 20_000_000  # nodes × jobs: each node has its own list of what jobs have there
MAX_TABLE = 5_000_000  # jobs × nodes: what jobs can weigh on so many nodes is a table of long integers
MAX_DIGITS = 4_000  # of a weight: Python reads no more by itself


class Leaf(NamedTuple):
    """Weights of the jobs, as in the certificate."""

    weights: list[int]
    slots: list[int]
    capacity: int


def value(instance: CoallocationInstance, certificate: Mapping[str, object]) -> Fraction:
    """Return the lower bound that `certificate` proves, in the time unit of `instance`.

    Raises
    ------
    InputError
        If the certificate is malformed, its tree does not cover every choice of options, some configuration weighs more
        than a leaf says, or it would take too long to see.
    InfeasibleError
        If a job has no allocation.
    """
    try:
        options = Options(instance)
    except TooLargeError as error:
        raise InputError(str(error), field="certificate") from error
    if options.job_count * sum(options.sizes) > MAX_TABLE:
        raise InputError(f"more than {MAX_TABLE:,} jobs × nodes", field="certificate")
    effort, budget = MAX_EFFORT, Budget()
    least: Fraction | None = None
    for number, (allowed, order, leaf) in enumerate(_leaves(certificate, options)):
        if not order.possible:
            continue
        field = f"certificate: leaf {number}"
        proven = options.longest(allowed)
        if leaf.capacity:
            pricing = Pricing(options, allowed, leaf.weights, leaf.slots, Fraction(leaf.capacity), order, budget)
            found = pricing.exceeding(effort=effort)
            effort -= found.effort
            if not found.complete:
                raise InputError("there are too many configurations to go through", field=field)
            if found.heavy:
                raise InputError("a configuration weighs more than the capacity", field=field)
            proven = max(proven, quotient(leaf))
        least = proven if least is None else min(least, proven)
    if least is None:
        raise InputError("no order of starts and ends is left", field="certificate.tree")
    return options.to_time(least)


def quotient(leaf: Leaf) -> Fraction:
    """Return what the weights prove, in slots or units of time."""
    return Fraction(sum(leaf.weights) + sum(leaf.slots), leaf.capacity) if leaf.capacity else Fraction(0)


def written(leaf: Leaf) -> dict[str, object]:
    """Return a leaf as it stands in a certificate."""
    weights, slots = ([str(one) for one in row] for row in (leaf.weights, leaf.slots))
    return {"weights": weights, "slots": slots, "capacity": str(leaf.capacity)}


def _leaves(certificate: Mapping[str, object], options: Options) -> list[tuple[Allowed, Order, Leaf]]:
    """Read the tree; what it covers follows from the instance and the parts, not from what a leaf says."""
    nodes = list_of(fields_of(certificate, "certificate", "tree")["tree"], "certificate.tree")
    if len(nodes) > MAX_NODES:
        raise InputError(f"more than {MAX_NODES} nodes", field="certificate.tree", value=len(nodes))
    jobs = options.job_count
    if len(nodes) * jobs > MAX_CELLS:
        raise InputError(f"more than {MAX_CELLS:,} nodes × jobs", field="certificate.tree", value=len(nodes) * jobs)
    alike = jobs - len({(job.tasks, job.base_time, job.bandwidth, job.sigma) for job in options.instance.jobs})
    orders = 1 + alike + sum(2 for node in nodes if isinstance(node, Mapping) and "before" in node)
    Budget().spend(4 * LINE * orders * jobs * jobs, "certificate.tree")
    leaves: list[tuple[Allowed, Order, Leaf]] = []
    open_nodes = [(options.every(), first_order(options.instance))]
    for index, node in enumerate(nodes):
        field = f"certificate.tree[{index}]"
        if not open_nodes:
            raise InputError("no choice of options is left for it", field=field)
        allowed, order = open_nodes.pop()
        if isinstance(node, Mapping) and "weights" in node:
            leaf = _leaf(fields_of(node, field, "weights", "slots", "capacity"), field, options)
            leaves.append((allowed, order, leaf))
        elif isinstance(node, Mapping) and "before" in node:
            one, two = _events(fields_of(node, field, "before")["before"], f"{field}.before", options)
            open_nodes += [(allowed, order.with_before(two, one)), (allowed, order.with_before(one, two))]
        else:
            entries = fields_of(node, field, "job", "parts")
            children = _children(entries["job"], entries["parts"], allowed, field)
            open_nodes += [(child, order) for child in reversed(children)]
    if open_nodes:
        raise InputError("does not cover every choice of options", field="certificate.tree")
    return leaves


def _leaf(entries: Mapping[str, Any], field: str, options: Options) -> Leaf:
    rows = []
    for name in ("weights", "slots"):
        place = f"{field}.{name}"
        rows.append([_integer(one, place) for one in list_of(entries[name], place, options.job_count)])
    if any(rows[1]) and not options.slotted:
        raise InputError("there are no slots", field=f"{field}.slots")
    return Leaf(rows[0], rows[1], _integer(entries["capacity"], f"{field}.capacity"))


def _events(value: object, field: str, options: Options) -> list[int]:
    events = [_integer(one, field) for one in list_of(value, field, 2)]
    if events[0] == events[1] or max(events) >= 2 * options.job_count:
        raise InputError("must be two different events", field=field)
    return events


def _children(job: object, parts: object, allowed: Allowed, field: str) -> list[Allowed]:
    job = _integer(job, f"{field}.job")
    if job >= len(allowed):
        raise InputError("there is no such job", field=f"{field}.job", value=job)
    left = set(allowed[job])
    children = []
    for number, part in enumerate(list_of(parts, f"{field}.parts")):
        place = f"{field}.parts[{number}]"
        kept = [_integer(one, place) for one in list_of(part, place)]
        if not kept or len(set(kept)) < len(kept) or not left.issuperset(kept):
            raise InputError("must be options that the job has here and no other part has", field=place)
        left.difference_update(kept)
        children.append((*allowed[:job], frozenset(kept), *allowed[job + 1 :]))
    if left or len(children) < 2:
        raise InputError("must be at least two parts that leave out no option", field=f"{field}.parts")
    return children


def _integer(value: object, field: str) -> int:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= MAX_DIGITS:
        return int(value)
    if type(value) is not int or value < 0 or value.bit_length() > 3 * MAX_DIGITS:
        raise InputError("must be an integer of at least 0 within its range", field=field)
    return value
