"""Brute force: the optimum of a tiny instance by the enumeration of `oas.checker`.

It is the reference for models, bounds, searches and heuristics and shares no code with them: the instance is written as
a document, which the checker reads and enumerates. The verifier of the toolkit checks the schedule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.checker.effort import Effort
from oas.checker.files import parse_document
from oas.checker.main import read_instance
from oas.checker.reading import LONGEST_NUMBER, Refused
from oas.checker.recheck import CHECKED_PROBLEMS, MOST_ENUMERATED
from oas.core.clock import check_clock
from oas.core.errors import InfeasibleError, TooLargeError
from oas.core.schedule import Placement, Schedule
from oas.core.verifier import check
from oas.io.writing import dumps

if TYPE_CHECKING:
    from fractions import Fraction

    from oas.core.instances import Instance

NO_LIMIT = LONGEST_NUMBER**2  # later than the end of every schedule


class _Steps(Effort):
    """The remaining steps; they also end when the time of the solve is up."""

    def spend(self, steps: int) -> None:
        check_clock()
        self.left -= steps
        if self.left < 0:
            raise TooLargeError("brute force takes too many steps; the instance is too large for it")


def brute_force(instance: Instance, steps: int = MOST_ENUMERATED) -> tuple[Fraction, Schedule]:
    """Return the minimum makespan of `instance` and a verified schedule with this makespan.

    Parameters
    ----------
    instance
        Of a problem that the checker knows. At most 6 jobs and 8 nodes; 4 jobs, 4 clusters and 12 nodes if saturated
        links slow jobs down; 7 jobs of organizations.
    steps
        Maximum number of steps: placements of a job, or phases of jobs that run together.

    Raises
    ------
    TooLargeError
        If the instance is beyond these sizes, or the enumeration beyond `steps`.
    InfeasibleError
        If a job has no allocation even on an empty grid.
    """
    try:
        checked = read_instance(parse_document(dumps(instance)))
        problem = CHECKED_PROBLEMS[checked.problem]
        if not problem.all_placeable(checked):
            raise InfeasibleError("a job has no allocation even on an empty grid")
        placements = problem.schedule_before(checked, NO_LIMIT, _Steps(steps))
    except Refused as error:
        raise TooLargeError(f"brute force: {error}") from error
    except RecursionError:
        raise TooLargeError("brute force: a schedule has too many slots") from None
    assert placements is not None
    schedule = Schedule([Placement(*placed) for placed in placements], "brute force")
    return check(instance, schedule, "the brute-force schedule").makespan, schedule
