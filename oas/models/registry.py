"""The formulations of each problem, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.errors import InputError, unknown_name
from oas.core.problem import check_variant
from oas.solvers.task import MIP, family_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oas.core.instances import Instance
    from oas.core.problem import Problem
    from oas.models.formulation import Formulation


def formulations(problem: Problem, instance: Instance | None = None) -> Mapping[str, Formulation]:
    """Return the formulations of `problem` by name, or those that take `instance`.

    The first of each family that takes an instance is the default for its solvers.
    """
    if not problem.has("formulations"):
        return {}
    every = problem.part("formulations")
    return {one.name: one for one in every if instance is None or not reason_against(one, instance)}


def find_formulation(name: str, problem: Problem, instance: Instance | None = None) -> Formulation:
    """Return the formulation for `problem` called `name`, whether it takes `instance` or not.

    Raises
    ------
    InputError
        If there is none, with those that take the instance.
    """
    known = formulations(problem)
    if name not in known:
        raise unknown_name(name, formulations(problem, instance), "formulation")
    return known[name]


def default_formulation(problem: Problem, family: str = MIP, instance: Instance | None = None) -> Formulation:
    """Return the formulation for `problem` that solvers of `family` get unless another is named.

    Parameters
    ----------
    instance
        The one to be solved: the first that takes it is returned. None: the first of all.

    Raises
    ------
    InputError
        If the problem has none for them, or none that takes the instance.
    """
    own = [one for one in problem.part("formulations") if one.family == family]
    found = next((one for one in own if instance is None or not reason_against(one, instance)), None)
    if found is not None:
        return found
    reason = f"{problem.title} has none for these solvers"
    if own and instance is not None:
        reasons = "; ".join(f"{one.name}: {reason_against(one, instance)}" for one in own)
        reason += f" under {instance.variant} ({reasons})"
    raise InputError(reason, field="formulation", value=family)


def reason_against(formulation: Formulation, instance: Instance) -> str:
    """Say why `formulation` does not take `instance`; nothing if it does."""
    known = formulation.variants or instance.problem.variants[:1]
    return formulation.refusal(instance) if instance.variant in known else f"it knows {', '.join(known)}"


def check_takes(formulation: Formulation, instance: Instance) -> None:
    """Check that `formulation` is valid for `instance`.

    Raises
    ------
    InputError
        If it does not know the variant of the instance's rules, naming both, or refuses it for another reason.
    """
    check_variant(instance, f"the formulation {formulation.name}", formulation.variants)
    reason = formulation.refusal(instance)
    if reason:
        raise InputError(f"does not take this instance: {reason}", field="formulation", value=formulation.name)


def check_match(solver: str, formulation: Formulation, problem: Problem, instance: Instance | None = None) -> None:
    """Check that `solver` takes `formulation`.

    Raises
    ------
    InputError
        If it does not, with what goes together, for this instance if there is one.
    """
    family = family_of(solver)
    if formulation.family != family:
        own = " or ".join(one.name for one in formulations(problem, instance).values() if one.family == family)
        others = "cpsat" if family == MIP else "highs, cbc and other MIP solvers"
        raise InputError(
            f"{solver} takes {own}; {formulation.name} is for {others}", field="formulation", value=formulation.name
        )
