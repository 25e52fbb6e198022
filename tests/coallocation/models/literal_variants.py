"""The literal model changed on purpose; the worker imports these builders by name."""

import pyomo.environ as pyo

from oas.coallocation.models.literal_model import build


def without(payload):
    """Build the model without some families of constraints."""
    spec, families = payload
    model = build(spec)
    for family in families:
        model.component(family).deactivate()
    return model


def as_printed(payload):
    """Build the model with (19) and (20) as the paper prints them.

    The print's list has no row for SP, so its reading is chosen: "at least" is SP ≥ Z/Γ, "equal" is equation (3), for
    which all nodes must have one Γ, so that it is known beforehand, and "free" is none. (11) is printed as a maximum,
    so Z ≤ Σ X is added to Z ≥ X.
    """
    spec, slowdown = payload
    model = build(spec)
    for family in ("whole_slots", "whole_slots_exact", "run_length", "no_idle_slot"):
        model.component(family).deactivate()
    if slowdown != "at least":
        model.processing_slowdown.deactivate()
    if slowdown == "equal":
        (power,) = spec.scaled.powers
        model.SP.fix(float(1 / power))
    jobs = list(enumerate(spec.instance.jobs))
    nodes, slots = range(len(spec.nodes)), range(1, spec.horizon + 1)
    slot = float(spec.scaled.tick)
    model.printed = pyo.ConstraintList()
    for j, job in jobs:
        time = float(job.base_time) * model.ct[j]
        held = sum(model.X[j, r, t] for r in nodes for t in slots)
        model.printed.add((model.f[j] - model.s[j]) * slot <= time)  # (19)
        model.printed.add(held * slot >= time * job.tasks)  # (20)
        for r in nodes:
            model.printed.add(model.Z[j, r] <= sum(model.X[j, r, t] for t in slots))  # (11)
    return model
