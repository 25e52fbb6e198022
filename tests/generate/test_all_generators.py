"""Properties of every generator: registered, typed, described; seeds stay; refusals name the parameter."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import oas
import oas.generate
from oas.generate import GENERATORS
from oas.generate.mosp.worst_cases import WORST_CASES
from oas.generate.registry import generators
from oas.io import dumps

# Under one version a seed always gives the same instance; a change here requires a new version in the provenance.
DIGESTS: list[tuple[str, dict[str, Any], str]] = [
    ("section4", {"seed": 0}, "c3d10b5ff1b0aeb8"),
    ("section4", {"seed": 143, "bandwidth": "tight", "slot_percent": 50}, "c1a778dd6e5d828a"),
    ("section4", {"seed": 7, "jobs": 20, "nodes": 9}, "4f933c9cdda43e8c"),
    *(
        ("workload", {"number": number}, digest)
        for number, digest in enumerate(
            (
                "3425ddb3983f7837",
                "55bee7f8874e2d89",
                "75fe199253162a09",
                "845925768209c013",
                "e079863172ca5404",
                "881d35b7b5134bf8",
            ),
            1,
        )
    ),
    ("tiny", {"seed": 0}, "4c80820955271208"),
    ("tiny", {"seed": 1}, "c18104c948bee3bf"),
    ("tiny", {"seed": 2}, "119e3608edaa7a69"),
    ("saturated", {"seed": 0}, "295103e48bddbb99"),
    ("saturated", {"seed": 1}, "7b5ddc288462e96a"),
    ("saturated", {"seed": 2}, "15ca19dbf2b1bba8"),
    ("uni", {}, "61e53957bff12698"),
    ("uni", {"seed": 9, "jobs": 100, "organizations": 10, "processors": 512, "pareto": 2}, "4cc0da88174d6321"),
    ("swf", {}, "05610e793ac6a0cf"),
    ("swf", {"seed": 9, "jobs": 100, "organizations": 20, "processors": 32}, "1e0cc04419667bc3"),
    ("reservations", {"seed": 1}, "f27a68bf2c7eea3d"),
]


@pytest.mark.parametrize(("name", "arguments", "digest"), DIGESTS)
def test_a_seed_stands_for_one_instance_for_ever(name: str, arguments: dict[str, Any], digest: str) -> None:
    instance = GENERATORS[name].function(**arguments)
    assert instance.digest.startswith(digest) and instance.provenance["version"] == "1"


def test_the_first_jobs_of_a_pool_stay() -> None:
    jobs = oas.generate.arrivals(seed=1, horizon=30).jobs[:4]
    assert [(int(job.release), int(job.time)) for job in jobs] == [(1, 15), (8, 9), (15, 1), (16, 27)]


@pytest.mark.parametrize("name", [name for name in GENERATORS if name != "workload"])
def test_seeds_differ_and_repeat(name: str) -> None:
    made = [GENERATORS[name].function(seed=seed) for seed in range(30)]
    assert len({instance.digest for instance in made}) >= 29  # tiny ones may be equal
    assert [dumps(instance) for instance in made] == [dumps(GENERATORS[name].function(seed=seed)) for seed in range(30)]


CALLS = {
    "section4": {"seed": 3, "jobs": 4, "clusters": 2, "nodes": 3},
    "tiny": {"seed": 3, "jobs": 3, "nodes": 4, "clusters": 2},
    "saturated": {"seed": 3, "jobs": 3, "clusters": 2, "nodes": 2, "slot": 2},
    "workload": {"number": 2},
    "uni": {"seed": 3, "jobs": 6, "organizations": 2, "processors": 8},
    "swf": {"seed": 3, "jobs": 6, "organizations": 2, "processors": 8},
    "arrivals": {"seed": 3, "organizations": 2, "processors": 8, "horizon": 20, "load": 1, "time": 4, "widest": 2},
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("kind", [np.int64, float], ids=lambda kind: kind.__name__)
def test_the_type_of_a_whole_number_changes_nothing(name: str, kind: type) -> None:
    generator = GENERATORS[name].function
    other = generator(**{key: kind(value) for key, value in CALLS[name].items()})
    assert dumps(other) == dumps(generator(**CALLS[name]))


MOSP_REFUSED = [
    ({"seed": -1}, "seed"),
    ({"jobs": 0}, "jobs"),
    ({"organizations": 0}, "organizations"),
    ({"processors": 0}, "processors"),
    ({"processors": True}, "processors"),
    ({"pareto": 0}, "pareto"),
    ({"pareto": 1.5}, "pareto"),
    ({"pareto": "1e9"}, "pareto"),
    ({"pareto": 1, "processors": 1000}, "processors"),
    ({"local": "BEST"}, "local"),
]
REFUSED: dict[str, list[tuple[dict[str, Any], str]]] = {
    "section4": [
        ({"seed": -1}, "seed"),
        ({"seed": True}, "seed"),
        ({"jobs": 0}, "jobs"),
        ({"jobs": 2.5}, "jobs"),
        ({"clusters": 0}, "clusters"),
        ({"nodes": 0}, "nodes"),
        ({"nodes": 4000}, "nodes"),
        ({"bandwidth": "wide"}, "bandwidth"),
        ({"slot_percent": 0.5}, "slot_percent"),
        ({"slot_percent": "half"}, "slot_percent"),
        ({"slot_percent": -50}, "slot"),
    ],
    "workload": [({"number": 0}, "number"), ({"number": 7}, "number"), ({"number": True}, "number")],
    "tiny": [({"seed": -1}, "seed"), ({"jobs": 0}, "jobs"), ({"nodes": 0}, "nodes"), ({"clusters": True}, "clusters")],
    "saturated": [
        ({"seed": -1}, "seed"),
        ({"jobs": 0}, "jobs"),
        ({"clusters": 0}, "clusters"),
        ({"nodes": 0}, "nodes"),
        ({"slot": -1}, "slot"),
        ({"threshold": 2}, "threshold"),
        ({"policy": "forbid", "sharing": "max-min"}, "sharing"),
    ],
    "uni": MOSP_REFUSED,
    "swf": [*MOSP_REFUSED, ({"processors": 1}, "processors")],
    "reservations": [({"availability": "none"}, "availability")],
    "arrivals": [
        ({"seed": -1}, "seed"),
        ({"organizations": 0}, "organizations"),
        ({"processors": 2}, "processors"),
        ({"machines": "pareto"}, "machines"),
        ({"horizon": 0}, "horizon"),
        ({"horizon": 2.5}, "horizon"),
        ({"load": 0}, "load"),
        ({"load": 0.9}, "load"),
        ({"time": 0}, "time"),
        ({"widest": 0}, "widest"),
    ],
    "no-cooperation": [({"organizations": 0}, "organizations"), ({"processors": 0}, "processors")],
    "locality-price": [({"machines": "triple"}, "machines")],
    "near-three-bounds": [({"processors": 7}, "processors"), ({"organizations": 0}, "organizations")],
    "kept-schedules": [({"organizations": 2}, "organizations")],
    "graham-spt": [({"processors": 0}, "processors")],
    "unbounded-ilba": [({"x": 0}, "x")],
    "graham-list": [({"processors": 0}, "processors")],
    "blocked-queue": [({"processors": 1}, "processors"), ({"parts": 0}, "parts")],
    "tight-lsrc": [({"k": 1}, "k")],
    "tight-lsrc-alpha": [({"alpha": 0}, "alpha"), ({"alpha": "1.01"}, "alpha"), ({"alpha": 1 / 3}, "alpha")],
    "three-partition": [
        ({"variant": "two"}, "variant"),
        ({"groups": 1, "solvable": False}, "groups"),
        ({"groups": 0}, "groups"),
        ({"factor": 0}, "factor"),
        ({"seed": -1}, "seed"),
    ],
}


@pytest.mark.parametrize(
    ("name", "arguments", "field"), [(name, *row) for name, refused in REFUSED.items() for row in refused]
)
def test_an_error_names_the_parameter(name: str, arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(oas.InputError) as caught:
        {**GENERATORS, **WORST_CASES}[name].function(**arguments)
    assert caught.value.field == field


def test_provenance_names_generator_and_every_parameter() -> None:
    for one in generators():
        parameters = inspect.signature(one.function).parameters
        needed = {name: 1 for name, each in parameters.items() if each.default is inspect.Parameter.empty}
        instance = one.function(**needed)
        assert instance.name
        assert instance.provenance["generator"] == one.name
        assert set(instance.provenance) == {"generator", "version", *parameters}
