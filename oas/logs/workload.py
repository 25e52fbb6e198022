"""Reader of Batsim's workloads: the input files in JSON, with jobs and their profiles but without starts.

A job has `id`, `subtime`, `res` (number of resources), `profile`, and optionally `walltime`, at which Batsim ends it.
The running time follows from the profile: ``delay`` states it, and ``parallel_homogeneous`` (formerly ``msg_par_hg``)
determines it if there is no communication and the speed of the hosts is known. ``composed`` is a sequence of such
profiles, possibly repeated. Other profiles are refused.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from oas.core.errors import InputError
from oas.core.numbers import exact, identifier, integer
from oas.io.decoding import read_tree
from oas.io.files import unpacked
from oas.logs.invalid_lines import InvalidLines
from oas.logs.logged import LIMITS, MOST, Owner, SubmittedJob, Workload
from oas.logs.sacct_table import COMMAND

if TYPE_CHECKING:
    from oas.core.numbers import Exact
    from oas.logs.logged import Time

_COMPUTATION = ("parallel_homogeneous", "msg_par_hg")
_READ = "the profiles that are read are delay, parallel_homogeneous without communication, and composed of these"
_DEEPEST = 50  # levels of composed profiles
ENDED = "ends at its walltime, before its profile does"


def parse_workload(
    data: bytes, name: str, host_speed: Exact | None = None, invalid: InvalidLines | None = None
) -> Workload:
    """Read a workload called `name`; `host_speed`: operations of a host in a second, for ``parallel_homogeneous``.

    Invalid jobs are refused, unless they may be left out.

    Raises `InputError` naming job or profile, key and value; also if there is no job.
    """
    tree = read_tree(unpacked(data, LIMITS["text_bytes"]))
    if isinstance(tree, dict) and str(tree.get("format", "")).startswith("oas-"):
        raise InputError(f"is no job log but an {tree['format']}", field="format")
    if isinstance(tree, dict) and "profiles" not in tree and {"meta", "errors"} & tree.keys():
        raise InputError(f"output of sacct --json is not read; print it as in {COMMAND}", field="jobs")
    invalid = invalid or InvalidLines()
    invalid.noun = "job"
    jobs, profiles = (_member(tree, key, kind, "") for key, kind in (("jobs", list), ("profiles", dict)))
    speed = None if host_speed is None else exact(host_speed, "host_speed")
    if speed is not None and speed <= 0:
        raise InputError("must be above 0", field="host_speed", value=str(speed))
    lengths = _Lengths(profiles, speed)
    submitted: list[SubmittedJob] = []
    numbers: dict[str, int] = {}
    skipped: Counter[str] = Counter()
    noted: Counter[str] = Counter()
    for index, job in enumerate(jobs):
        place = f"jobs[{index}]"
        try:
            identity = identifier(str(_member(job, "id", str | int, place)), f"{place}.id")
            if identity in numbers:
                raise InputError("the id is taken", field=f"{place}.id", value=identity)
            numbers[identity] = len(numbers) + 1
            length = lengths.of(str(_member(job, "profile", str | int, place)), f"{place}.profile")
            walltime = _time(job, "walltime", place, missing=Fraction(-1))
            submit = _time(job, "subtime", place)
            width = integer(_member(job, "res", object, place), f"{place}.res", least=0)
        except _MissingSpeedError:
            raise  # no fault of the job
        except InputError as error:
            invalid.refuse(error)
            continue
        if length == 0 or width == 0:
            skipped["running time 0" if width else "no resources"] += 1
            continue
        time = walltime if 0 < walltime < length else length
        noted[ENDED] += time < length
        submitted.append(SubmittedJob(identity, numbers[identity], submit, time, width, Owner.of(job)._asdict()))
    skipped.update(invalid.skipped)
    if not submitted:
        counts = "; ".join(f"{reason}: {number}" for reason, number in skipped.items())
        raise InputError(f"the workload holds no job that runs (skipped: {counts or 'none'})", field="jobs")
    submitted.sort(key=lambda job: job.submit or 0)
    size = tree.get("nb_res")
    return Workload(
        name,
        hashlib.sha256(data).hexdigest(),
        "batsim",
        tuple(submitted),
        dict(skipped),
        dict(+noted),
        None if size is None else integer(size, "nb_res", least=1),
        remarks=invalid.remarks,
    )


class _MissingSpeedError(InputError):
    """The speed of the hosts is needed and not given."""


class _Lengths:
    """The running times of the profiles of a workload, each computed once."""

    def __init__(self, profiles: dict[str, object], speed: Fraction | None) -> None:
        self._profiles, self._speed = profiles, speed
        self._known: dict[str, Time] = {}

    def of(self, name: str, place: str, level: int = 0) -> Time:
        """Return the running time of a profile that is named at `place`."""
        if name not in self._known:
            if name not in self._profiles:
                raise InputError("names no profile of the workload", field=place, value=name)
            self._known[name] = self._length(self._profiles[name], f"profiles.{name}", level)
        return self._known[name]

    def _length(self, profile: object, place: str, level: int) -> Time:
        if _member(profile, "type", str, place) != "composed":
            return _length(profile, place, self._speed)
        if level == _DEEPEST:
            raise InputError(f"composed of itself, or on more than {_DEEPEST} levels", field=place)
        parts = _member(profile, "seq", list, place)
        repeat = _time(profile, "repeat", place, missing=Fraction(-1))
        total = sum(self.of(str(part), f"{place}.seq[{index}]", level + 1) for index, part in enumerate(parts))
        length = Fraction(total) * (1 if repeat == -1 else integer(repeat, f"{place}.repeat", least=1))
        if length >= MOST:
            raise InputError(f"the length must be below {MOST:,}", field=place, value=str(length))
        return length.numerator if length.denominator == 1 else length


def _length(profile: object, place: str, speed: Fraction | None) -> Time:
    """Return the running time of a job with this profile, which is not composed of others."""
    kind = _member(profile, "type", str, place)
    if kind == "delay":
        return _time(profile, "delay", place)
    if kind not in _COMPUTATION:
        raise InputError(f"profiles of this type are not read; {_READ}", field=f"{place}.type", value=kind)
    if communication := _time(profile, "com", place, missing=Fraction(0)):
        reason = f"the length depends on the network; {_READ}"
        raise InputError(reason, field=f"{place}.com", value=str(communication))
    operations = _time(profile, "cpu", place, most=Fraction(10) ** 40)
    if speed is None and operations > 0:
        reason = "the length depends on the speed of the hosts, in operations in a second: give it by --host-speed"
        raise _MissingSpeedError(reason, field=f"{place}.cpu", value=str(operations))
    time = Fraction(operations) / (speed or 1)
    return time.numerator if time.denominator == 1 else time


def _member(parent: object, key: str, kind: Any, place: str) -> Any:
    """Return a value of an object; raises `InputError` if it is missing or of another type."""
    field = f"{place}.{key}" if place else key
    if not isinstance(parent, dict):
        raise InputError("must be an object", field=place, value=parent)
    if key not in parent:
        raise InputError("is missing", field=field)
    value = parent[key]
    if not isinstance(value, kind) or isinstance(value, bool):
        kinds = {list: "a list", dict: "an object", str: "text"}
        raise InputError(f"must be {kinds.get(kind, 'text or a whole number')}", field=field, value=value)
    return value


def _time(
    parent: object, key: str, place: str, missing: Fraction | None = None, most: Fraction | int = MOST
) -> Fraction | int:
    """Return a number of at least 0, or −1 if that is the value for `missing`; an int if it is an integer."""
    if missing is not None and isinstance(parent, dict) and key not in parent:
        return missing
    field = f"{place}.{key}"
    value = exact(_member(parent, key, object, place), field)
    if not 0 <= value < most and value != missing:
        raise InputError(f"must be from 0 on and below {most:,}", field=field, value=str(value))
    return value.numerator if value.denominator == 1 else value
