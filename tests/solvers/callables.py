"""Functions for the worker to call; importable there by name."""

from __future__ import annotations

import os
import time
from fractions import Fraction

from oas.bounds.mosp.arrays import one_job
from oas.bounds.mosp.cluster_sets.pricing import Pricing
from oas.bounds.mosp.two_dimensional.scales import Scales
from oas.core.errors import InputError


def echo(payload, _session):
    return payload


def half(payload, session):
    """Stream something, then do as told."""
    kind, argument = payload
    session.progress(1.5, 7)
    session.partial({"half": Fraction(1, 3), "kind": "first"})
    session.partial({"half": Fraction(1, 2), "kind": kind})
    if kind == "raise":
        raise ZeroDivisionError("on purpose")
    if kind == "refuse":
        raise InputError("no such thing", field="payload", value=argument)
    if kind == "signal":
        os.kill(os.getpid(), argument)
    if kind == "exit":
        os._exit(3)
    if kind == "deaf":
        time.sleep(argument)
    while kind == "listen" and not session.stop.requested:
        time.sleep(0.01)
    while kind == "clock" and not session.time_is_up:
        time.sleep(0.01)
    return "whole"


def price_without_end(makespan, session):
    """Hand something over, then price cluster sets again and again."""
    pricing = Pricing(Scales(one_job(), makespan), 1, 1)
    session.partial("half")
    while True:
        pricing.heaviest([1], 0, 1)


def linear_programs(_payload, _session):
    """Solve 2x + 3y → min with x + y ≥ 4, x ≤ 3, then with a cheaper column, then with x fixed at 0."""
    from oas.solvers.lp import LinearProgram

    program = LinearProgram()
    row = program.add_row(4)
    x = program.add_column(2, [row], [1], upper=3)
    program.add_column(3, [row], [1])
    answers = [(program.solve(), program.primal(), program.duals())]
    program.add_column(1, [row], [Fraction(1, 2)], upper=4)
    answers.append((program.solve(), program.primal(), program.duals()))
    program.set_bounds(x, 0, 0)
    answers.append((program.solve(), program.primal(), program.duals()))
    return answers


def impossible_program(kind, _session):
    from oas.solvers.lp import LinearProgram

    program = LinearProgram()
    row = program.add_row(4)
    if kind == "infeasible":
        program.add_column(1, [row], [1], upper=3)
    elif kind == "unbounded":
        program.add_column(-1, [row], [1])
    else:
        program.add_column(1, [row + 1], [1])
    return program.solve()
