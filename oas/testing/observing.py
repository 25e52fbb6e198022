"""One call of a heuristic, and the observation of its outcome."""

from __future__ import annotations

import pickle
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import heuristics
from heuristics.method import NotApplicableError, NotPlacedError
from oas.core.schedule import Schedule
from oas.testing.findings import Finding, Kind

if TYPE_CHECKING:
    from heuristics.method import Scheduler
    from oas.core.instances import Instance

_OURS = (str(Path(__file__).parents[1]), str(Path(str(heuristics.__file__)).parent))


@dataclass(frozen=True)
class Observation:
    """The outcome of one call: a schedule, a refusal or a finding.

    Attributes
    ----------
    schedule
        As returned, not yet verified.
    refusal
        Why the method says that the instance is not for it, or that it cannot place all jobs.
    finding
        What went wrong.
    seconds
        Wall time of the call.
    """

    schedule: Schedule | None = None
    refusal: str = ""
    finding: Finding | None = None
    seconds: float = 0.0


def observe(run: Scheduler, instance: Instance, seed: int) -> Observation:
    """Call `run` and return an observation, whatever it does."""
    before: Instance = pickle.loads(pickle.dumps(instance))
    began = time.perf_counter()
    schedule, refusal, finding = None, "", None
    try:
        returned: object = run(instance, seed=seed)
        if isinstance(returned, Schedule):
            schedule = Schedule(returned.placements, str(returned.method))
        else:
            finding = Finding(Kind.NO_SCHEDULE, f"returned {type(returned).__name__}, not a Schedule")
    except (NotApplicableError, NotPlacedError) as error:
        refusal = str(error) or type(error).__name__
    except (Exception, SystemExit) as error:  # a user's own may fail in any way
        finding = Finding(Kind.EXCEPTION, f"{type(error).__name__}: {error}{_place(error)}", type(error).__name__)
    seconds = time.perf_counter() - began
    if instance != before:
        return Observation(finding=Finding(Kind.CHANGED, "the instance is not what it was"), seconds=seconds)
    return Observation(schedule, refusal, finding, seconds)


def _place(error: BaseException) -> str:
    """Say where it was raised: the innermost line that is not the toolkit's, if any, of it or of what it comes from."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if one.filename != __file__]
    if error.__cause__ is not None:
        frames += traceback.extract_tb(error.__cause__.__traceback__)
    own = [one for one in frames if not one.filename.startswith(_OURS)]
    if not frames:
        return ""
    last = (own or frames)[-1]
    return f" ({Path(last.filename).name}, line {last.lineno}, in {last.name})"
