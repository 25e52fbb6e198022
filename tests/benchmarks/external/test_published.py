"""What is published holds for MOSP as far as it is said to, and contradictions of it are found, no others."""

from __future__ import annotations

import pytest

from benchmarks.external.catalogue import Entry, PublicSet
from benchmarks.external.formats.registry import FORMATS
from benchmarks.external.published import Published, contradiction, for_organizations, published
from oas.core.errors import InputError
from tests.benchmarks.external.small import BINS, GAPPY, PERFECT
from tests.benchmarks.proof_rates.coallocation.rows import answer

NOTHING = answer(None, None)


def one_set(kind: str, *, perfect: bool = False) -> PublicSet:
    return PublicSet("set", "A set", kind, "bpplib", "nobody", "nowhere", (), perfect=perfect)


def test_bins_keep_both_bounds_and_strips_the_height_alone() -> None:
    bins = FORMATS["bpplib"](BINS, "file")
    assert published(one_set("bin packing"), Entry("one", "file", lower=4, upper=5), bins) == (4, 5)
    assert published(one_set("bin packing"), Entry("one", "file"), bins) == (3, None)  # the area
    gappy = FORMATS["or-datasets"](GAPPY, "file")
    assert published(one_set("strip packing"), Entry("one", "file", upper=4), gappy) == (3, 4)
    assert Published(3, 4).optimum is None and Published(4, 4).optimum == 4


def test_a_perfect_packing_is_its_area() -> None:
    cut = FORMATS["or-datasets"](PERFECT, "file")
    assert published(one_set("strip packing", perfect=True), Entry("one", "file", upper=3), cut).optimum == 3
    with pytest.raises(InputError, match="set/one: a perfect packing of 4 × 4 has another area"):
        published(one_set("strip packing", perfect=True), Entry("one", "file", upper=4), cut)
    with pytest.raises(InputError, match="the area alone needs 3: what is published is of another instance"):
        published(one_set("strip packing"), Entry("one", "file", upper=2), cut)


def test_of_several_organizations_a_lower_bound_follows() -> None:
    assert for_organizations(Published(10, 10), 3) == (4, None)
    assert for_organizations(Published(9, None), 3) == (3, None)


@pytest.mark.parametrize(
    ("known", "own", "said"),
    [
        (Published(10, 10), answer(10, 10), ""),
        (Published(10, 10), answer(9, 12), ""),
        (Published(10, 10), answer(11, 11), "oas.solve proves at least 11, published is a solution of 10"),
        (Published(10, 10), answer(9, 9), "oas.solve has a verified schedule of 9, published are at least 10"),
        (Published(10, 10), answer(11, 12), "oas.solve proves at least 11"),
        (Published(8, 10), answer(9, 9), ""),  # a strip may be higher than what MOSP needs
        (Published(8, None), answer(99, 99), ""),
        (Published(8, 10), NOTHING, ""),
    ],
)
def test_contradictions(known: Published, own, said: str) -> None:
    assert contradiction(known, own, NOTHING).startswith(said) and bool(said) == bool(
        contradiction(known, own, NOTHING)
    )
    by_rival = contradiction(known, NOTHING, own)
    assert by_rival == contradiction(known, own, NOTHING).replace("oas.solve", "CP-SAT")
