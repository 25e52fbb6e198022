"""Rules that tamper with a result: its claim, its proof, its certificate, its schedule; and a file by its number."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from random import Random
from typing import TYPE_CHECKING, Any

from benchmarks.robustness import documents
from benchmarks.robustness.documents import DoesNotApplyError
from benchmarks.robustness.tampering import costly
from benchmarks.robustness.tampering.draft import Draft, shift
from oas.bounds.lower_bound import lower_bounds
from oas.core.numbers import format_fraction
from oas.io import dumps

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.robustness.tampering.specimens import Specimen

TWICE = 0.15  # of the files are tampered with by two rules
NO_SCHEDULE: dict[str, Any] = {"schedule": None, "objective": None, "gap": None}
MEANING = (0, 1, 2, 3, 4, 252, 253, 254, 255)  # bytes with a meaning in one of the logs


# Claims


def raise_value_alone(draft: Draft) -> None:
    """Raise the value, with the certificate as it was."""
    makespan = draft.bound["certificate"].get("makespan") if draft.bound["certificate"] else None
    draft.raise_claim()
    if makespan is not None:
        draft.certificate["makespan"] = makespan


def lower_bound(draft: Draft) -> None:
    """Claim less, which may be accepted: the certificate proves more than is claimed."""
    value, objective = draft.specimen.result.lower_bound or Fraction(0), draft.specimen.result.objective
    lower = max(Fraction(0), value - draft.random.choice((1, 3)) * draft.tick)
    gap = float(objective / lower - 1) if lower and objective is not None else None
    draft.document |= {"lower_bound": format_fraction(lower), "status": "feasible", "gap": gap}


def take_another_proof(draft: Draft) -> None:
    """Show the proof of another instance."""
    own, alike = draft.specimen, _alike(draft)
    same = [one for one in alike if one.name == own.name and one.instance.digest != own.instance.digest]
    other = draft.random.choice(same if same and draft.random.random() < 0.7 else alike)
    proof = draft.document["proof"] = json.loads(dumps(other.result))["proof"]
    kept = (proof["bound"] and proof["bound"]["certificate"]) or {}
    makespan = kept.get("makespan")
    highest = max(own.optimum + draft.tick, other.result.lower_bound or Fraction(0))
    draft.claim(draft.random.choice((highest, own.optimum + draft.tick)))
    if makespan is not None:
        kept["makespan"] = draft.random.choice((makespan, int(own.optimum / draft.tick)))


def take_another_result(draft: Draft) -> None:
    """Show the whole result of another instance under the digest of this one."""
    draft.document = json.loads(dumps(draft.random.choice(_alike(draft)).result))
    if draft.random.random() < 0.9:
        draft.document["instance_digest"] = draft.specimen.instance.digest
    if draft.random.random() < 0.5:
        draft.document |= {**NO_SCHEDULE, "status": "no_solution"}


def _alike(draft: Draft) -> list[Specimen]:
    """Return the specimens of the same problem."""
    return [one for one in draft.others if one.instance.problem is draft.specimen.instance.problem]


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
    above = format_fraction(draft.specimen.optimum + draft.tick)
    if name == "value":
        draft.bound["value"] = above
    else:
        draft.document[name] = draft.random.choice((0.0, 1.5, None)) if name == "gap" else above


def empty_proof(draft: Draft) -> None:
    """Take away the proof, its bound or the content of its certificate."""
    bound, proof = draft.bound, draft.document["proof"]
    parent, key = draft.random.choice(((draft.document, "proof"), (proof, "bound"), (bound, "certificate")))
    parent[key] = {} if key == "certificate" and draft.random.random() < 0.5 else None
    draft.document["lower_bound"] = format_fraction(draft.specimen.optimum)
    if draft.random.random() < 0.7:
        draft.raise_claim()


# Certificates


def change_certificate(draft: Draft, change: Callable[[Random, Any], None]) -> None:
    """Change the certificate by its structure."""
    change(draft.random, draft.certificate)
    draft.maybe_raise()


def change_items(draft: Draft) -> None:
    """Drop, repeat or swap items of lists, leaves of a tree above all."""
    documents.change_list(draft.random, draft.certificate, draft.certificate.get("tree"))
    draft.maybe_raise()


def change_log(draft: Draft) -> None:
    """Put other bytes into a compressed log, drop, repeat or swap bytes, drop or repeat a part; pack it again."""
    draw, name = draft.random, draft.packed_field()
    data = bytearray(zlib.decompress(b64decode(draft.certificate[name])))
    for _ in range(draw.choice((1, 1, 1, 2, 5, 50))):
        at, end = sorted(draw.randrange(len(data) + 1) for _ in range(2))
        kind = draw.randrange(3)
        if kind == 0:
            data[at : at + draw.randrange(2)] = bytes([draw.choice((*MEANING, draw.randrange(256)))])
        elif kind == 1 and data:
            documents.edit_list(draw, data)
        else:
            data[at:end] = data[at:end] * draw.choice((0, 2))
    draft.certificate[name] = costly.pack(bytes(data))
    draft.maybe_raise()


def cut_log(draft: Draft) -> None:
    """Cut the packed text, append to it, or use other characters."""
    name = draft.packed_field()
    text: str = draft.certificate[name]
    data = b64decode(text)
    packed = [b64encode(one).decode() for one in (data + data, data[:-4], data[:-4] + b"abcd")]
    cut = text[: draft.random.randrange(len(text))]
    draft.certificate[name] = draft.random.choice((cut, text + "\n", text + text, "é" + text, "", *packed))
    draft.maybe_raise()


# Schedules


def end_earlier(draft: Draft) -> None:
    """Move the jobs that end last a tick earlier, onto nodes that are still taken."""
    last = max(Fraction(str(one["end"])) for one in draft.placements)
    for one in draft.placements:
        if Fraction(str(one["end"])) == last:
            shift(one, -draft.tick)
    draft.claim_schedule()


def move_job(draft: Draft) -> None:
    """Move a job by some ticks, very far, or onto the time and nodes of another."""
    one, other = draft.random.choice(draft.placements), draft.random.choice(draft.placements)
    kind = draft.random.randrange(3)
    if kind == 0:
        shift(one, draft.random.choice((-1, 1, Fraction(1, 2), -1000, -Fraction(1, 10**9))) * draft.tick)
    elif kind == 1:
        shift(one, Fraction(draft.random.choice((2**62, 2**63, 10**30, -(10**30), Fraction(1, 10**30)))))
    else:
        shift(one, Fraction(str(other["start"])) - Fraction(str(one["start"])))
        if draft.random.random() < 0.5:
            one["nodes"] = other["nodes"]
    draft.claim_schedule()


def shorten_job(draft: Draft) -> None:
    """End a job too early, or begin it too late."""
    one = draft.random.choice(draft.placements)
    name, by = draft.random.choice((("end", -draft.tick), ("start", draft.tick)))
    one[name] = format_fraction(Fraction(str(one[name])) + by)
    draft.claim_schedule()


def change_jobs(draft: Draft) -> None:
    """Leave jobs out, repeat them, or exchange their names."""
    placements = draft.placements
    one, other = draft.random.choice(placements), draft.random.choice(placements)
    kind = draft.random.randrange(4)
    if kind == 0:
        one["job"], other["job"] = other["job"], one["job"]
    elif kind == 1:
        placements.clear()
    else:
        documents.edit_list(draft.random, placements)
    draft.claim_schedule()


def change_nodes(draft: Draft) -> None:
    """Leave nodes out, repeat them, or take nodes of another cluster or ones that do not exist."""
    one = draft.random.choice(draft.placements)
    name = draft.random.choice(sorted(one["nodes"]))
    nodes = one["nodes"][name]
    names = [cluster for cluster, _ in draft.specimen.instance.cluster_sizes]
    kind = draft.random.randrange(5)
    if kind == 0:
        documents.edit_list(draft.random, nodes)
    elif kind == 1:
        nodes[-1] = draft.random.choice((-1, 10**6, 2**31, 2**63, nodes[0]))
    elif kind == 2:
        one["nodes"][draft.random.choice((*names, "nowhere"))] = one["nodes"].pop(name)
    elif kind == 3:
        one["nodes"] = {}
    else:
        one["nodes"].setdefault(draft.random.choice(names), []).append(0)
    draft.claim_schedule()


RULES: dict[str, Callable[[Draft], None]] = {
    "bound raised, certificate too": Draft.raise_claim,
    "bound raised alone": raise_value_alone,
    "bound lowered": lower_bound,
    "proof of another instance": take_another_proof,
    "result of another instance": take_another_result,
    "name of another bound": rename_bound,
    "another kind of proof": change_kind,
    "another status": change_status,
    "numbers that disagree": contradict,
    "proof emptied": empty_proof,
    "certificate: numbers changed": partial(change_certificate, change=documents.change_numbers),
    "certificate: numbers near 2**62": partial(change_certificate, change=documents.enlarge_numbers),
    "certificate: lists scaled": partial(change_certificate, change=documents.scale_list),
    "certificate: other types": partial(change_certificate, change=documents.change_types),
    "certificate: flags turned": partial(change_certificate, change=documents.turn_flags),
    "certificate: items dropped, repeated, swapped": change_items,
    "certificate: log changed": change_log,
    "certificate: log cut or joined": cut_log,
    "schedule: last jobs a tick earlier": end_earlier,
    "schedule: a job moved": move_job,
    "schedule: a job too short": shorten_job,
    "schedule: jobs missing or twice": change_jobs,
    "schedule: other nodes": change_nodes,
    **costly.RULES,
}


@dataclass(frozen=True)
class Tampered:
    """A tampered file, the honest result it was made of, and the name of the first rule."""

    specimen: Specimen
    rule: str
    data: bytes


def tampered(specimens: Sequence[Specimen], seed: int, index: int) -> Tampered:
    """Return file number `index` of a seed: always the same for the same specimens.

    All kinds of proof are equally frequent, and so are the rules among those that apply.
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
        if random.random() < TWICE:
            _tamper_again(draft)
        return Tampered(specimen, rule, draft.data)


def _tamper_again(draft: Draft) -> None:
    """Apply another rule on top, if the document still has the shape that it expects."""
    try:
        RULES[draft.random.choice(sorted(RULES))](draft)
    except (DoesNotApplyError, TypeError, ValueError, KeyError, IndexError, AttributeError, ZeroDivisionError):
        return
