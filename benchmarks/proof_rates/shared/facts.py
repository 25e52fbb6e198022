"""The fields that the rows of every problem share."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from benchmarks.measurements.machine import cpu_model
from benchmarks.proof_rates.shared.answers import mismatch, source, ticks_of
from oas.campaigns.identity import commit
from oas.exact.bound_check import recheck
from oas.exact.versions import versions

if TYPE_CHECKING:
    from benchmarks.proof_rates.shared.answers import Answer, Own
    from benchmarks.proof_rates.shared.plans import Case
    from oas.core.instances import Instance
    from oas.core.result import Bound


def facts(
    case: Case, instance: Instance, own: Own, rival: Answer, rival_version: str, combinatorial: Bound
) -> dict[str, Any]:
    """Return the fields of `BaseRow` except `closed_by`; the bound is re-checked here."""
    result = own.result
    proof = result.proof if result else None
    certified = proof.bound if proof else None
    began = time.monotonic()
    rechecked = certified is not None and recheck(instance, certified)
    recheck_seconds = time.monotonic() - began
    return {
        "plan": case.plan,
        "cell": case.cell,
        "seed": case.seed,
        "digest": instance.digest,
        "own": own.answer,
        "rival": rival,
        "proof": proof.kind.value if proof else "",
        "bound": certified.name if certified else "",
        "claims": [f"{claim.solver}:{claim.formulation}" for claim in proof.claims] if proof else [],
        "combinatorial": ticks_of(combinatorial.value, instance.scaled().tick),
        "rechecked": rechecked,
        "recheck_seconds": recheck_seconds,
        "stages": {name: took for name, took in result.seconds.items() if name != "total"} if result else {},
        "steps": own.steps,
        "mismatch": mismatch(own.answer, rival, rechecked),
        "load": os.getloadavg()[0],
        "versions": {
            **(result.versions if result else versions({})),
            **({"cpsat": rival_version} if rival_version else {}),
        },
        "machine": f"{cpu_model()}, {os.cpu_count()} CPUs",
        "commit": commit(),
        "source": source(),
        "recorded": datetime.now(UTC).isoformat(timespec="seconds"),
    }
