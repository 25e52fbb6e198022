"""Small models for the worker to build; importable there by name."""

from __future__ import annotations

import random

import pyomo.environ as pyo


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
