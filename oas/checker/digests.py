"""The digest of an instance: SHA-256 of what it means, everything but names and provenance.

It is that of texts joined by ``|``, the first two of which name the problem and the version of the digest; a Fraction
is ``5/2``, or ``5`` where it is whole.
"""

from __future__ import annotations

import hashlib

from oas.checker.coallocation_instance import CoallocationInstance
from oas.checker.mosp_instance import MospInstance


def digest_of(instance: CoallocationInstance | MospInstance) -> str:
    """Return the digest, 64 hexadecimal digits, by which results name the instance that they are of."""
    parts = _mosp_parts(instance) if isinstance(instance, MospInstance) else _coallocation_parts(instance)
    return hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest()


def _coallocation_parts(instance: CoallocationInstance) -> list[object]:
    parts: list[object] = ["coallocation", 1, instance.slot, instance.saturation]
    for cluster in instance.clusters:
        parts += ["cluster", cluster.bandwidth]
        parts += [(count, str(power)) for count, power in cluster.groups]
    for job in instance.jobs:
        parts += ["job", job.tasks, job.base_time, job.bandwidth, job.sigma]
    return parts


def _mosp_parts(instance: MospInstance) -> list[object]:
    """Version 2 is that of instances without local schedules."""
    starts = instance.local
    parts: list[object] = ["mosp", 2 if starts is None else 1, instance.locality]
    for organization in instance.organizations:
        parts += ["organization", organization.processors]
        parts += [("r", str(one.start), str(one.end), one.processors) for one in organization.reservations]
        for job in organization.jobs:
            parts += ["job", job.time, job.processors, job.release]
            if starts is not None:
                parts.append(starts[job.id])
    return parts
