"""Small CP-SAT models for the worker to build, and a look at what it has loaded; importable there by name."""

import random
import sys
from importlib import import_module

from oas.core.errors import TooLargeError


def loaded(_payload):
    """Say which solvers' packages this process has loaded."""
    raise TooLargeError(",".join(name for name in ("highspy", "ortools", "pyomo") if name in sys.modules) or "none")


def new_task():
    from oas.solvers.cpsat import CpTask

    return CpTask()


def knapsack(payload):
    """Cover problem: choose items of least total weight reaching a total value."""
    weights, values, needed = payload
    task = new_task()
    take = [task.boolean("take", (i,)) for i in range(len(weights))]
    task.model.add(sum(value * one for value, one in zip(values, take, strict=True)) >= needed)
    weight = task.integer("weight", (), 0, sum(weights))
    task.model.add(weight == sum(w * one for w, one in zip(weights, take, strict=True)))
    task.minimize(weight)
    return task


def market_split(payload):
    """Market split: nothing proves it within any time a test has, and incumbents come early."""
    seed, size, rows = payload
    draw = random.Random(seed)
    table = [[draw.randrange(100) for _ in range(size)] for _ in range(rows)]
    task = new_task()
    x = [task.boolean("x", (j,)) for j in range(size)]
    slack = []
    for i, row in enumerate(table):
        over, under = (task.integer(name, (i,), 0, 10**4) for name in ("over", "under"))
        task.model.add(sum(c * one for c, one in zip(row, x, strict=True)) + over - under == sum(row) // 2)
        slack += [over, under]
    miss = task.integer("miss", (), 0, 10**6)
    task.model.add(miss >= sum(slack))
    task.minimize(miss)
    return task


def equal_split(payload):
    """Market split without slack: feasible points are too rare to be found."""
    task = market_split(payload)
    task.model.add(task.objective == 0)
    return task


def infeasible(_payload):
    """2x + 2y = 5 in integers."""
    task = new_task()
    x, y = (task.integer(name, (), 0, 9) for name in "xy")
    task.model.add(2 * x + 2 * y == 5)
    task.minimize(x)
    return task


def huge(payload):
    """Choose one of two integers, possibly negative, that are too large for exact floats."""
    low, high = payload
    task = new_task()
    task.minimize(task.integer("x", ("large", 0), low, high))
    return task


def invalid(_payload):
    """A sum that outgrows 64 bits."""
    task = new_task()
    x, y = (task.integer(name, (), 0, 2**61) for name in "xy")
    task.model.add(2**40 * x + y >= 7)
    task.minimize(x)
    return task


def without_objective(_payload):
    task = new_task()
    task.boolean("x", ())
    return task


def not_a_task(_payload):
    return new_task().model


def noisy(payload):
    print("noise through print", flush=True)
    return knapsack(payload)


def fixed(payload):
    """Build the model of a formulation and fix every variable: feasible exactly if the values keep every constraint."""
    builder, spec, values = payload
    module, _, name = builder.partition(":")
    task = getattr(import_module(module), name)(spec)
    unknown = [key for key in values if key not in task.variables]
    assert not unknown, unknown
    for key, variable in task.variables.items():
        task.model.add(variable == int(values.get(key, 0)))
    return task


def below_zero(size):
    """Market split with its objective moved far below 0."""
    task = market_split((1, size, 5))
    moved = task.integer("moved", (), -(10**7), 10**6)
    task.model.add(moved == task.objective - 10**6)
    task.minimize(moved)
    return task
