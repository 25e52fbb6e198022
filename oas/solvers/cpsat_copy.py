"""Copies of CP-SAT models that a user has altered, for the worker; they hold no variables' names or code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError

if TYPE_CHECKING:
    from oas.solvers.cpsat import CpTask


def copied(model: Any) -> bytes:
    """Return a model as bytes; raises `InputError` unless its objective is an integer one to be minimised."""
    proto = model.Proto()
    goal = proto.objective
    if proto.HasField("floating_point_objective") or not proto.HasField("objective") or goal.scaling_factor < 0:
        raise InputError("must be minimised, with integer coefficients", field="objective")
    return bytes(proto.SerializeToString())


def build(data: bytes) -> CpTask:
    """Return the model with keys ``("x", (index,))`` for its variables; worker side."""
    from oas.solvers.cpsat import CpTask

    task = CpTask()
    proto = task.model.Proto()
    proto.ParseFromString(data)
    count = len(proto.variables)
    for index in range(count):
        task.variables["x", (index,)] = task.model.get_int_var_from_proto_index(index)
    goal = proto.objective
    terms = [(factor, task.variables["x", (index,)]) for index, factor in zip(goal.vars, goal.coeffs, strict=True)]
    offset, size = int(goal.offset), 0
    for index, factor in zip(goal.vars, goal.coeffs, strict=True):
        size += abs(factor) * max(map(abs, proto.variables[index].domain))
    task.model.clear_objective()
    value = task.model.new_int_var(offset - size, offset + size, "objective")
    task.model.add(value == sum(factor * one for factor, one in terms) + offset)
    task.minimize(value)
    return task
