"""Reader of Batsim's workloads: the input files in JSON, with jobs and their profiles but without starts.

A job has `id`, `subtime`, `res` (number of resources), `profile`, and optionally `walltime`, at which Batsim ends it.
The running time follows from the profile: ``delay`` states it, and ``parallel_homogeneous`` (formerly ``msg_par_hg``)
determines it if there is no communication and the speed of the hosts is known. Other profiles are refused.
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
from oas.logs.logged import LIMITS, MOST, Owner, SubmittedJob, Workload

if TYPE_CHECKING:
    from oas.core.numbers import Exact
    from oas.logs.logged import Time

_COMPUTATION = ("parallel_homogeneous", "msg_par_hg")
_READ = "the profiles that are read are delay, and parallel_homogeneous without communication"
ENDED = "ends at its walltime, before its profile does"


def parse_workload(data: bytes, name: str, host_speed: Exact | None = None) -> Workload:
    """Read a workload called `name`; `host_speed`: operations of a host in a second, for ``parallel_homogeneous``.

    Raises `InputError` naming job or profile, key and value; also if there is no job.
    """
    tree = read_tree(unpacked(data, LIMITS["text_bytes"]))
    if isinstance(tree, dict) and str(tree.get("format", "")).startswith("oas-"):
        raise InputError(f"is no job log but an {tree['format']}", field="format")
    jobs, profiles = (_member(tree, key, kind, "") for key, kind in (("jobs", list), ("profiles", dict)))
    speed = None if host_speed is None else exact(host_speed, "host_speed")
    if speed is not None and speed <= 0:
        raise InputError("must be above 0", field="host_speed", value=str(speed))
    times: dict[str, Time] = {}
    submitted: list[SubmittedJob] = []
    seen: set[str] = set()
    skipped: Counter[str] = Counter()
    noted: Counter[str] = Counter()
    for index, job in enumerate(jobs):
        place = f"jobs[{index}]"
        identity = identifier(str(_member(job, "id", str | int, place)), f"{place}.id")
        if identity in seen:
            raise InputError("the id is taken", field=f"{place}.id", value=identity)
        seen.add(identity)
        profile = str(_member(job, "profile", str | int, place))
        if profile not in times:
            if profile not in profiles:
                raise InputError("names no profile of the workload", field=f"{place}.profile", value=profile)
            times[profile] = _length(profiles[profile], f"profiles.{profile}", speed)
        time = times[profile]
        walltime = _time(job, "walltime", place, missing=Fraction(-1))
        if 0 < walltime < time:
            time = walltime
            noted[ENDED] += 1
        submit = _time(job, "subtime", place)
        width = integer(_member(job, "res", object, place), f"{place}.res", least=0)
        if time == 0 or width == 0:
            skipped["running time 0" if width else "no resources"] += 1
            continue
        submitted.append(SubmittedJob(identity, len(seen), submit, time, width, Owner.of(job)._asdict()))
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
        dict(noted),
        None if size is None else integer(size, "nb_res", least=1),
    )


def _length(profile: object, place: str, speed: Fraction | None) -> Time:
    """Return the running time of a job with this profile."""
    kind = _member(profile, "type", str, place)
    if kind == "delay":
        return _time(profile, "delay", place)
    if kind not in _COMPUTATION:
        raise InputError(f"its length is not determined by the file; {_READ}", field=f"{place}.type", value=kind)
    if communication := _time(profile, "com", place, missing=Fraction(0)):
        reason = f"the length depends on the network; {_READ}"
        raise InputError(reason, field=f"{place}.com", value=str(communication))
    operations = _time(profile, "cpu", place, most=Fraction(10) ** 40)
    if speed is None and operations > 0:
        reason = "the length depends on the speed of the hosts, in operations in a second: give it by --host-speed"
        raise InputError(reason, field=f"{place}.cpu", value=str(operations))
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
