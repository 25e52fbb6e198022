"""Copies of CP-SAT models that a user has altered, for the worker; they hold no code."""

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
    from oas.solvers.cpsat import CpTask

    task = CpTask()
    proto = task.model.Proto()
    proto.ParseFromString(data)
    variables = [task.model.get_int_var_from_proto_index(index) for index in range(len(proto.variables))]
    task.variables = {("x", (index,)): variable for index, variable in enumerate(variables)}
    terms = list(zip(proto.objective.coeffs, proto.objective.vars, strict=True))
    offset = int(proto.objective.offset)
    size = sum(abs(factor) * max(map(abs, proto.variables[index].domain)) for factor, index in terms)
    value = task.model.new_int_var(offset - size, offset + size, "objective")
    task.model.add(value == sum(factor * variables[index] for factor, index in terms) + offset)
    task.minimize(value)
    return task
