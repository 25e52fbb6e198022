"""Rules that change what is claimed, and whose proof is shown for it."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING

from benchmarks.robustness.tampering.draft import DoesNotApplyError
from oas.bounds.lower_bound import lower_bounds
from oas.core.numbers import format_fraction
from oas.io import dumps

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.robustness.tampering.draft import Draft


def raised(draft: Draft) -> None:
    """The bound higher, with the makespan of its certificate, objective, status and schedule to match."""
    draft.raise_claim()


def raised_alone(draft: Draft) -> None:
    """The value higher and the certificate as it was."""
    makespan = draft.bound["certificate"].get("makespan") if draft.bound["certificate"] else None
    draft.raise_claim()
    if makespan is not None:
        draft.certificate["makespan"] = makespan


def lowered(draft: Draft) -> None:
    """A weaker claim, which may be accepted: the certificate proves more than is said."""
    value = draft.specimen.result.lower_bound or Fraction(0)
    draft.document["lower_bound"] = format_fraction(max(Fraction(0), value - draft.random.choice((1, 3)) * draft.tick))
    draft.document["status"] = "feasible"
    lower = Fraction(draft.document["lower_bound"])
    objective = draft.specimen.result.objective
    draft.document["gap"] = float(objective / lower - 1) if lower and objective is not None else None


def another_proof(draft: Draft) -> None:
    """The proof of another instance, for a claim about this one."""
    own = draft.specimen
    same = [one for one in draft.others if one.name == own.name and one.instance.digest != own.instance.digest]
    alike = [one for one in draft.others if one.instance.problem is own.instance.problem]
    other = draft.random.choice(same if same and draft.random.random() < 0.7 else alike)
    draft.document["proof"] = json.loads(dumps(other.result))["proof"]
    highest = max(own.optimum + draft.tick, other.result.lower_bound or Fraction(0))
    proof = draft.document["proof"]
    kept = proof["bound"] and proof["bound"]["certificate"]
    makespan = kept.get("makespan") if kept else None
    draft.claim(draft.random.choice((highest, own.optimum + draft.tick)))
    if makespan is not None:
        kept["makespan"] = draft.random.choice((makespan, int(own.optimum / draft.tick)))


def another_instance(draft: Draft) -> None:
    """The whole result of another instance, under the digest of this one."""
    own = draft.specimen
    alike = [one for one in draft.others if one.instance.problem is own.instance.problem]
    other = draft.random.choice(alike)
    draft.document = json.loads(dumps(other.result))
    if draft.random.random() < 0.9:
        draft.document["instance_digest"] = own.instance.digest
    if draft.random.random() < 0.5:
        draft.document |= {"schedule": None, "objective": None, "gap": None, "status": "no_solution"}


def another_name(draft: Draft) -> None:
    """The certificate under the name of another bound, or of none."""
    names = [one.name for one in lower_bounds(draft.specimen.instance)]
    names += [one.name.partition(": ")[2] for one in draft.others]
    draft.bound["name"] = draft.random.choice((*names, "", "area ", "solver", "none"))
    draft.maybe_raise()


def another_kind(draft: Draft) -> None:
    """Proven in another way than it is: by enumeration, by a certificate, by the word of a solver."""
    proof = draft.document["proof"]
    proof["kind"] = draft.random.choice(("certificate", "brute_force", "solver"))
    draft.raise_claim()
    if draft.random.random() < 0.5:
        proof["bound"] = None
    if draft.random.random() < 0.5:
        bound = draft.document["lower_bound"]
        word = {"solver": "highs", "version": "1.15.1", "formulation": "auto", "bound": bound}
        proof["claims"] = [word] * draft.random.choice((1, 2, 500))


def another_status(draft: Draft) -> None:
    """Claimed infeasible, without a solution, or optimal without a schedule."""
    document = draft.document
    document["status"] = draft.random.choice(("infeasible", "optimal", "no_solution", "feasible"))
    if draft.random.random() < 0.7:
        document |= {"schedule": None, "objective": None, "gap": None}
    if draft.random.random() < 0.4:
        document |= {"lower_bound": None, "proof": None, "gap": None}


def inconsistent(draft: Draft) -> None:
    """One of the numbers that must agree changed alone."""
    name = draft.random.choice(("lower_bound", "objective", "gap", "value"))
    above = format_fraction(draft.specimen.optimum + draft.tick)
    if name == "value":
        draft.bound["value"] = above
    elif name == "gap":
        draft.document["gap"] = draft.random.choice((1.0, -1.0, None, 1e300, 0))
    else:
        draft.document[name] = draft.random.choice((above, None, 0, -1, format_fraction(draft.tick / 3)))


def emptied_proof(draft: Draft) -> None:
    """A claim without its bound, its certificate or what is in it."""
    if draft.document["proof"]["bound"] is None:
        raise DoesNotApplyError
    what = draft.random.randrange(4)
    if what == 0:
        draft.document["proof"] = None
    elif what == 1:
        draft.document["proof"]["bound"] = None
    else:
        draft.bound["certificate"] = draft.random.choice(({}, None))
    draft.document["lower_bound"] = format_fraction(draft.specimen.optimum)
    if draft.random.random() < 0.7:
        draft.raise_claim()


RULES: dict[str, Callable[[Draft], None]] = {
    "bound raised, certificate too": raised,
    "bound raised alone": raised_alone,
    "bound lowered": lowered,
    "proof of another instance": another_proof,
    "result of another instance": another_instance,
    "name of another bound": another_name,
    "another kind of proof": another_kind,
    "another status": another_status,
    "numbers that disagree": inconsistent,
    "proof emptied": emptied_proof,
}
