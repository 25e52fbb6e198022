"""Rules that change the claim and the proof of a result, the list of all rules, and numbered files."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

from benchmarks.robustness.documents import DoesNotApplyError
from benchmarks.robustness.tampering import certificates, schedules
from benchmarks.robustness.tampering.draft import Draft
from benchmarks.robustness.tampering.made_up import make_up
from oas.io import dumps
from oas.solving.lower_bound import lower_bounds

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.robustness.tampering.specimens import Specimen

NO_SCHEDULE: dict[str, Any] = {"schedule": None, "objective": None, "gap": None}


def raise_value_alone(draft: Draft) -> None:
    """Raise the value and leave the certificate unchanged."""
    makespan = draft.bound["certificate"].get("makespan") if draft.bound["certificate"] else None
    draft.raise_claim()
    if makespan is not None:
        draft.certificate["makespan"] = makespan


def take_another_proof(draft: Draft) -> None:
    """Insert the proof of another instance by the same bound."""
    own = draft.specimen
    other = draft.random.choice([one for one in draft.others if one.name == own.name])
    proof = draft.document["proof"] = json.loads(dumps(other.result))["proof"]
    kept = (proof["bound"] and proof["bound"]["certificate"]) or {}
    makespan = kept.get("makespan")
    highest = max(own.optimum + draft.tick, other.result.lower_bound or Fraction(0))
    draft.claim(draft.random.choice((highest, own.optimum + draft.tick)))
    if makespan is not None:
        kept["makespan"] = draft.random.choice((makespan, int(own.optimum / draft.tick)))


def take_another_result(draft: Draft) -> None:
    """Replace the result by that of another instance, with the digest of this one."""
    alike = [one for one in draft.others if one.instance.problem is draft.specimen.instance.problem]
    draft.document = json.loads(dumps(draft.random.choice(alike).result))
    if draft.random.random() < 0.9:
        draft.document["instance_digest"] = draft.specimen.instance.digest
    if draft.random.random() < 0.5:
        draft.document |= {**NO_SCHEDULE, "status": "no_solution"}


def rename_bound(draft: Draft) -> None:
    """Put the certificate under the name of another bound, or of none."""
    names = [one.name for one in lower_bounds(draft.specimen.instance)]
    names += [one.name.partition(": ")[2] for one in draft.others]
    draft.bound["name"] = draft.random.choice((*names, "", "area ", "solver", "none"))
    draft.maybe_raise()


def change_kind(draft: Draft) -> None:
    """Claim another kind of proof: enumeration, a certificate, a solver's claim."""
    proof = draft.document["proof"]
    proof["kind"] = draft.random.choice(("certificate", "brute_force", "solver"))
    draft.raise_claim()
    if draft.random.random() < 0.5:
        proof["bound"] = None
    if draft.random.random() < 0.5:
        bound = draft.document["lower_bound"]
        claim = {"solver": "highs", "version": "1.15.1", "formulation": "auto", "bound": bound}
        proof["claims"] = [claim] * draft.random.choice((1, 2, 500))


def change_status(draft: Draft) -> None:
    """Claim that the instance is infeasible, without a solution, or optimal without a schedule."""
    document = draft.document
    document["status"] = draft.random.choice(("infeasible", "optimal", "no_solution", "feasible"))
    if draft.random.random() < 0.7:
        document |= NO_SCHEDULE
    if draft.random.random() < 0.4:
        document |= {"lower_bound": None, "proof": None, "gap": None}


def contradict(draft: Draft) -> None:
    """Change one of the numbers that must agree."""
    name = draft.random.choice(("lower_bound", "objective", "gap", "value"))
    above = str(draft.specimen.optimum + draft.tick)
    if name == "value":
        draft.bound["value"] = above
    else:
        draft.document[name] = draft.random.choice((0.0, 1.5, None)) if name == "gap" else above


def empty_proof(draft: Draft) -> None:
    """Remove the proof, its bound or the content of its certificate."""
    bound, proof = draft.bound, draft.document["proof"]
    parent, key = draft.random.choice(((draft.document, "proof"), (proof, "bound"), (bound, "certificate")))
    parent[key] = {} if key == "certificate" and draft.random.random() < 0.5 else None
    draft.document["lower_bound"] = str(draft.specimen.optimum)
    if draft.random.random() < 0.7:
        draft.raise_claim()


RULES: dict[str, Callable[[Draft], None]] = {
    "bound raised, certificate too": Draft.raise_claim,
    "bound raised alone": raise_value_alone,
    "proof of another instance": take_another_proof,
    "result of another instance": take_another_result,
    "name of another bound": rename_bound,
    "another kind of proof": change_kind,
    "another status": change_status,
    "numbers that disagree": contradict,
    "proof emptied": empty_proof,
    **certificates.RULES,
    "costly: made up": make_up,
    **schedules.RULES,
}


@dataclass(frozen=True)
class Tampered:
    """A tampered file, the honest result it was made of, and the name of the rule."""

    specimen: Specimen
    rule: str
    data: bytes


def tampered(specimens: Sequence[Specimen], seed: int, index: int) -> Tampered:
    """Return file number `index` of a seed: always the same for the same specimens.

    All kinds of proof are equally frequent, and so are all rules that apply.
    """
    random = Random(f"{seed}/{index}")
    names = sorted({one.name for one in specimens})
    while True:
        name = random.choice(names)
        specimen = random.choice([one for one in specimens if one.name == name])
        rule = random.choice(sorted(RULES))
        draft = Draft(specimen, specimens, random)
        try:
            RULES[rule](draft)
        except DoesNotApplyError:
            continue
        return Tampered(specimen, rule, draft.data)
