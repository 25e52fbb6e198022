"""The verifier: an exact, independent check of a schedule against its instance, whichever problem it is of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.core.errors import VerificationError
from oas.core.formats import show_count
from oas.core.instances import check_instance, check_schedule
from oas.core.problem import check_variant

if TYPE_CHECKING:
    from oas.core.instances import Instance
    from oas.core.schedule import Schedule
    from oas.core.violation import Violation


def verify(instance: Instance, schedule: Schedule) -> list[Violation]:
    """Return every violation of the instance's rules; an empty list means that the schedule is feasible.

    The rules are its problem's, such as `oas.problems.coallocation.rules` and `oas.problems.mosp.rules`; they know
    every variant that the problem lists.

    Parameters
    ----------
    instance
        Of any problem.
    schedule
        From anywhere: nothing is taken for granted.

    Returns
    -------
    list
        Each with the rule's name, the jobs involved and a sentence with the figures.

    Raises
    ------
    InputError
        If either is something else, or they are swapped.
    """
    check_instance(instance)
    check_schedule(schedule)
    check_variant(instance, "the verifier", instance.problem.variants)
    found: list[Violation] = instance.problem.part("rules")(instance, schedule)
    return found


def check(instance: Instance, schedule: Schedule, what: str = "the schedule") -> Schedule:
    """Return `schedule` if it is feasible.

    Raises
    ------
    VerificationError
        With every violation.
    """
    violations = verify(instance, schedule)
    if violations:
        raise VerificationError(f"{what} breaks {show_count(len(violations), 'rule')}:", tuple(violations))
    return schedule
