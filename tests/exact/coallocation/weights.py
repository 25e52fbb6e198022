"""Weights of jobs that hold for any instance: no jobs that can run together weigh more than the whole."""

from oas.bounds.coallocation.configurations import Weights


def area_weights(scaled):
    """Each job weighs its tasks: together they are never more than the nodes."""
    nodes = sum(len(one.nodes) for one in scaled.classes)
    return Weights(tuple((tasks,) * len(scaled.powers) for tasks in scaled.tasks), nodes)


def level_weights(scaled):
    """A job on the fastest nodes alone weighs its tasks, otherwise nothing: never more than those nodes."""
    nodes = sum(len(one.nodes) for one in scaled.classes if one.level == 0)
    return Weights(tuple((tasks, *[0] * (len(scaled.powers) - 1)) for tasks in scaled.tasks), nodes)
