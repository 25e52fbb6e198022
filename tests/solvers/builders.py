"""Small models for the worker to build; importable there by name."""

import os
import random
import signal
import time

import pyomo.environ as pyo

from oas.core.errors import InputError, TooLargeError


def knapsack(payload):
    """Cover problem: choose items of least total weight reaching a total value."""
    weights, values, needed = payload
    model = pyo.ConcreteModel()
    model.goods = pyo.RangeSet(0, len(weights) - 1)
    model.take = pyo.Var(model.goods, domain=pyo.Binary)
    model.enough = pyo.Constraint(expr=sum(values[i] * model.take[i] for i in model.goods) >= needed)
    model.weight = pyo.Objective(expr=sum(weights[i] * model.take[i] for i in model.goods))
    return model


def market_split(payload):
    """Market split: nothing proves it within any time a test has, and incumbents come early."""
    seed, size, rows = payload
    draw = random.Random(seed)
    table = [[draw.randrange(100) for _ in range(size)] for _ in range(rows)]
    model = pyo.ConcreteModel()
    model.x = pyo.Var(range(size), domain=pyo.Binary)
    model.over = pyo.Var(range(rows), bounds=(0, 10**4))
    model.under = pyo.Var(range(rows), bounds=(0, 10**4))
    model.rows = pyo.ConstraintList()
    for i, row in enumerate(table):
        total = sum(c * model.x[j] for j, c in enumerate(row))
        model.rows.add(total + model.over[i] - model.under[i] == sum(row) // 2)
    model.miss = pyo.Objective(expr=sum(model.over[i] + model.under[i] for i in range(rows)))
    return model


def equal_split(payload):
    """Market split without slack: feasible points are too rare to be found."""
    model = market_split(payload)
    for variable in [*model.over.values(), *model.under.values()]:
        variable.fix(0)
    return model


def infeasible(_payload):
    """2x + 2y = 5 in integers: feasible as a linear program."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var([1, 2], domain=pyo.Integers, bounds=(0, 9))
    model.odd = pyo.Constraint(expr=2 * model.x[1] + 2 * model.x[2] == 5)
    model.cost = pyo.Objective(expr=model.x[1] + model.x[2])
    return model


def infeasible_lp(_payload):
    model = infeasible(None)
    model.more = pyo.Constraint(expr=model.x[1] + model.x[2] >= 19)
    return model


def unbounded(_payload):
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.Integers)
    model.floor = pyo.Constraint(expr=model.x <= 5)
    model.cost = pyo.Objective(expr=model.x)
    return model


def linear(_payload):
    """No discrete variable at all; optimum 5/3."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var([1, 2], bounds=(0, 9))
    model.row = pyo.Constraint(expr=3 * model.x[1] + 2 * model.x[2] >= 5)
    model.cost = pyo.Objective(expr=model.x[1] + model.x[2])
    return model


def named(_payload):
    """Every kind of name: scalar, tuple index, mixed index, inside a block; one variable fixed, one unused."""
    model = pyo.ConcreteModel()
    model.scalar = pyo.Var(domain=pyo.Integers, bounds=(0, 5))
    model.pair = pyo.Var([("a", 1), ("b", 2)], domain=pyo.Binary)
    model.part = pyo.Block()
    model.part.inner = pyo.Var([7], domain=pyo.Integers, bounds=(-3, 3))
    model.held = pyo.Var(domain=pyo.Integers, bounds=(0, 9))
    model.held.fix(4)
    model.unused = pyo.Var(domain=pyo.Binary)
    model.row = pyo.Constraint(expr=model.scalar + model.pair["a", 1] + model.held >= 6.5)
    model.other = pyo.Constraint(expr=model.pair["b", 2] - model.part.inner[7] >= 3.5)
    model.cost = pyo.Objective(expr=model.scalar + 3 * model.pair["a", 1] + model.pair["b", 2] - model.part.inner[7])
    return model


def trickle(big):
    """Two jobs of 10 on one machine; a big constant lets a binary of 1e-6 separate nothing."""
    model = pyo.ConcreteModel()
    model.start = pyo.Var([1, 2], bounds=(0, 100))
    model.first = pyo.Var(domain=pyo.Binary)
    model.end = pyo.Var(bounds=(0, 100))
    model.ends = pyo.Constraint([1, 2], rule=lambda m, i: m.end >= m.start[i] + 10)
    model.one = pyo.Constraint(expr=model.start[1] + 10 <= model.start[2] + big * (1 - model.first))
    model.two = pyo.Constraint(expr=model.start[2] + 10 <= model.start[1] + big * model.first)
    model.cost = pyo.Objective(expr=model.end)
    return model


def maximised(_payload):
    model = linear(None)
    model.cost.deactivate()
    model.gain = pyo.Objective(expr=model.x[1], sense=pyo.maximize)
    return model


def without_objective(_payload):
    model = linear(None)
    model.cost.deactivate()
    return model


def not_a_model(_payload):
    return 42


def noisy(payload):
    """Write to both streams what would spoil the messages if it reached them."""
    os.write(1, b"\x00\x00 noise on descriptor 1\n" * 1000)
    os.write(2, b"noise on descriptor 2\n" * 1000)
    print("noise through print", flush=True)
    return knapsack(payload)


def raising(kind):
    if kind == "too_large":
        raise TooLargeError("7 things, at most 6")
    if kind == "input":
        raise InputError("must be even", field="slots", value=3)
    if kind == "memory":
        raise MemoryError
    raise RuntimeError("a mistake in the builder")


def dying(number):
    """End the worker by a signal, or by exit if the number is 0."""
    if number == 0:
        os._exit(3)
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    time.sleep(60)


def slow(seconds):
    """Build for a long time; can be interrupted."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.01)
    return linear(None)


def deaf(seconds):
    """Build for a long time; cannot be interrupted."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    return slow(seconds)


def hungry(size):
    """Take this many bytes and hold them."""
    held = bytearray(size)
    held[::4096] = b"x" * len(held[::4096])
    return slow(600)


def fixed(payload):
    """Nothing to choose: two fixed variables, x + y ≤ `payload`, and x + y to be minimised."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var([1, 2], domain=pyo.Binary, initialize=1)
    model.x.fix(1)
    if payload is not None:
        model.sum = pyo.Constraint(expr=model.x[1] + model.x[2] <= payload)
    model.cost = pyo.Objective(expr=model.x[1] + model.x[2])
    return model


def nothing(payload):
    """No variable at all, the constraint 2 ≤ `payload`, and an objective of 3."""
    model = pyo.ConcreteModel()
    model.two = pyo.Param(initialize=2, mutable=True)
    model.only = pyo.Constraint(expr=model.two <= payload)
    model.cost = pyo.Objective(expr=3)
    return model
