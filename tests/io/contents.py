"""Makers of anything that a file can hold, for the round trip."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction as F
from itertools import islice

from hypothesis import assume
from hypothesis import strategies as st

from oas.core.result import Bound, Claim, Proof, ProofKind, Result, Status, Termination
from oas.core.schedule import Placement, Schedule
from oas.problems.coallocation.instance import Cluster, CoallocationInstance, Job, NodeGroup
from oas.problems.mosp.instance import MospInstance
from oas.problems.rigid import Organization, Reservation, RigidJob

_LONG = 10**80 - 1
_CONTROL = [chr(code) for code in (*range(9), 11, 12, *range(14, 32), *range(127, 160))]

names = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=200).filter(str.isprintable)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=_CONTROL))
rationals = st.builds(F, st.integers(-_LONG, _LONG), st.integers(1, _LONG)) | st.decimals(
    allow_nan=False, allow_infinity=False, places=3, min_value=-(10**6), max_value=10**6
).map(F)
positive = rationals.map(abs).filter(bool)
# Sums of a few of these still fit into a file.
_moderate = st.builds(F, st.integers(1, 10**30), st.integers(1, 10**9)) | st.integers(1, 20).map(F)
shares = positive.map(lambda value: value if value <= 1 else 1 / value)


@st.composite
def any_instances(draw: st.DrawFn) -> CoallocationInstance:
    groups = st.lists(st.builds(NodeGroup, st.integers(1, 1000), shares), min_size=1, max_size=3)
    clusters = [
        Cluster(name, draw(groups), abs(draw(rationals)))
        for name in draw(st.lists(names, min_size=1, max_size=3, unique=True))
    ]
    nodes = sum(cluster.size for cluster in clusters)
    jobs = [
        Job(name, draw(st.integers(1, nodes)), draw(positive), abs(draw(rationals)), draw(shares | st.just(F(0))))
        for name in draw(st.lists(names, min_size=1, max_size=4, unique=True))
    ]
    provenance = draw(st.dictionaries(texts, texts, max_size=3))
    return CoallocationInstance(
        clusters, jobs, abs(draw(rationals)), name=draw(names | st.just("")), provenance=provenance
    )


_certificates = st.dictionaries(
    texts,
    st.recursive(
        st.none() | st.booleans() | st.integers(-(10**200), 10**200) | texts,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
        max_leaves=8,
    ),
    max_size=3,
)


@st.composite
def any_schedules(draw: st.DrawFn) -> Schedule:
    numbers = st.lists(st.integers(0, 10**9), max_size=40)
    nodes = st.dictionaries(names, numbers, max_size=3)
    placements = draw(st.lists(st.builds(Placement, names, rationals, rationals, nodes), max_size=4))
    return Schedule(placements, draw(texts), draw(st.none() | _certificates))


_bounds = st.builds(Bound, texts, rationals, st.none() | _certificates)
_claims = st.lists(st.builds(Claim, texts, texts, texts, rationals), max_size=2).map(tuple)
_proofs = st.builds(Proof, st.sampled_from(ProofKind), st.none() | _bounds, _claims)

any_results = st.builds(
    Result,
    status=st.sampled_from(Status),
    termination=st.sampled_from(Termination),
    schedule=st.none() | any_schedules(),
    lower_bound=st.none() | rationals,
    proof=st.none() | _proofs,
    instance_digest=st.text("0123456789abcdef", min_size=64, max_size=64),
    solver=texts,
    formulation=texts,
    seconds=st.dictionaries(texts, st.floats(allow_nan=False, allow_infinity=False), max_size=3),
    versions=st.dictionaries(texts, texts, max_size=3),
    seed=st.integers(),
    threads=st.integers(1, 64),
    message=texts,
)


@st.composite
def any_mosp(draw: st.DrawFn) -> MospInstance:
    """Draw an instance with wild numbers: jobs behind one another at home, at given moments after all reservations."""
    organizations, local = [], {}
    ids = iter(draw(st.lists(names, min_size=1, max_size=6, unique=True)))
    for cluster in draw(st.lists(names, min_size=1, max_size=3, unique=True)):
        size = draw(st.integers(1, 1000))
        held, moment = [], F(0)
        for length in draw(st.lists(_moderate, max_size=2)):
            held.append(Reservation(moment, moment + length, draw(st.integers(1, size))))
            moment += length
        jobs = []
        for name in islice(ids, draw(st.integers(0, 3))):
            job = RigidJob(name, draw(_moderate), draw(st.integers(1, size)), draw(st.just(F(0)) | _moderate))
            jobs.append(job)
            local[name] = max(moment, job.release)
            moment = local[name] + job.time
        organizations.append(Organization(cluster, size, jobs, held))
    if not local:
        name = next(ids)
        organizations[0] = replace(organizations[0], jobs=(RigidJob(name, draw(positive), 1),))
        local[name] = max((one.end for one in organizations[0].reservations), default=F(0))
    locality = draw(st.none() | st.just(F(1)) | positive.map(lambda value: value + 1 if value < 1 else value))
    assume(all(exact_enough(value) for value in (*local.values(), locality or F(1))))
    provenance = draw(st.dictionaries(texts, texts, max_size=3))
    return MospInstance(organizations, locality, local, 0, draw(names | st.just("")), provenance)


def exact_enough(value: F) -> bool:
    """Whether a file can hold it."""
    return max(value.numerator, value.denominator) <= _LONG
