"""The problems this toolkit knows, as one type; and what is said to whoever gives something else."""

from __future__ import annotations

import os

from oas.core.errors import InputError
from oas.core.result import Result
from oas.core.schedule import Schedule
from oas.problems.coallocation.instance import CoallocationInstance
from oas.problems.mosp.instance import MospInstance

Instance = CoallocationInstance | MospInstance


def check_instance(value: object) -> None:
    """Refuse what is not an instance.

    Raises
    ------
    InputError
        Saying what to do about it.
    """
    if isinstance(value, Instance):
        return
    reason = f"an instance is needed, not {_named(value)}"
    if isinstance(value, str | os.PathLike):
        reason += "; oas.load reads one from a file"
    elif isinstance(value, Schedule | Result):
        reason += "; the instance comes first"
    raise InputError(reason, field="instance", value=None if isinstance(value, Schedule | Result) else value)


def check_schedule(value: object) -> None:
    """Refuse what is not a schedule; errors as `check_instance`."""
    if isinstance(value, Schedule):
        return
    reason = f"a schedule is needed, not {_named(value)}"
    if isinstance(value, Result):
        reason += "; its .schedule is one, or None" if value.schedule is None else "; its .schedule is one"
    elif isinstance(value, Instance):
        reason += "; the instance comes first"
    elif value is None:
        reason += ", which a result without a schedule has"
    raise InputError(reason, field="schedule")


def _named(value: object) -> str:
    return "None" if value is None else type(value).__name__
