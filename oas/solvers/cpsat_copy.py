"""Copies of CP-SAT models that a user has altered, for the worker; they hold no variables' names or code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError

if TYPE_CHECKING:
    from oas.solvers.cpsat import CpTask


def copied(model: Any) -> bytes:
    """Return a model as bytes; raises `InputError` unless its objective is an integer one to be minimised."""
    proto = model.Proto()
    if not proto.HasField("objective") or proto.objective.scaling_factor < 0:
        raise InputError("must be minimised, with integer coefficients", field="objective")
    return bytes(proto.SerializeToString())


def build(data: bytes) -> CpTask:
    """Return the model with keys ``("x", (index,))`` for its variables; worker side."""
    from ortools.sat.python.cp_model import Domain

    from oas.solvers.cpsat import CpTask

    task = CpTask()
    target = task.model.Proto()
    source = type(target)()
    source.ParseFromString(data)
    domains = [list(variable.domain) for variable in source.variables]
    for index, domain in enumerate(domains):
        variable = task.model.new_int_var_from_domain(Domain.from_flat_intervals(domain), f"x{index}")
        task.variables["x", (index,)] = variable
    target.constraints.extend(source.constraints)
    goal = source.objective
    terms = list(zip(goal.coeffs, goal.vars, strict=True))
    offset, size = int(goal.offset), sum(abs(factor) * max(map(abs, domains[index])) for factor, index in terms)
    value = task.model.new_int_var(offset - size, offset + size, "objective")
    task.model.add(value == sum(factor * task.variables["x", (index,)] for factor, index in terms) + offset)
    task.minimize(value)
    return task
