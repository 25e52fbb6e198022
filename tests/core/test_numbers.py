"""Exact numbers and identifiers from text, decimals and arrays; messages of errors."""

import pickle
from decimal import Decimal
from fractions import Fraction
from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oas.core.errors import InputError, TooLargeError, VerificationError, shorten
from oas.core.numbers import ceil_to, common_denominator, exact, identifier, integer, parse_fraction
from oas.core.verifier import Violation
from oas.plots.axes import format_number

NUMBERS = st.integers(-(10**30), 10**30)
RATIOS = st.builds(F, NUMBERS, st.integers(1, 10**30))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.7", F(7, 10)),
        ("6.7e5", F(670000)),
        ("6.7E+5", F(670000)),
        ("67e-1", F(67, 10)),
        ("37/30", F(37, 30)),
        ("-1/2", F(-1, 2)),
        ("-0.5", F(-1, 2)),
        ("007", F(7)),
        ("1e40", F(10**40)),
        ("1e-40", F(1, 10**40)),
        ("9" * 40, F(10**40 - 1)),
        ("1/" + "9" * 40, F(1, 10**40 - 1)),
        ("0." + "0" * 38 + "1", F(1, 10**39)),
    ],
)
def test_parse_is_exact(text, value):
    assert parse_fraction(text) == value
    assert exact(text, "x") == value


@pytest.mark.parametrize(
    ("text", "word"),
    [
        *((text, "not a number") for text in ("", "nan", "inf", "-inf", "1.", ".5", "+1", " 1", "1 ", "1\n", "1_0")),
        *(
            (text, "not a number")
            for text in ("１", "٣", "1,5", "1/2/3", "1/-2", "1 / 2", "1.5/2", "0x10", "--1", "1e")
        ),
        ("1/0", "the denominator is zero"),
        ("1/000", "the denominator is zero"),
        ("1e41", "exponent"),
        ("1e-41", "exponent"),
        ("1e9999999", "not a number"),
        ("0." + "1" * 40, "more than 40 digits"),
        ("1" * 41 + "/3", "more than 40 digits"),
        ("3/" + "1" * 41, "more than 40 digits"),
        ("1" * 10**6, "too long"),
    ],
)
def test_parse_refuses(text, word):
    with pytest.raises(InputError, match=word):
        parse_fraction(text)
    with pytest.raises(InputError) as caught:
        exact(text, "jobs[2].base_time")
    assert caught.value.field == "jobs[2].base_time"
    assert len(str(caught.value)) < 250


@given(RATIOS)
def test_format_and_parse_are_inverse(value):
    assert parse_fraction(str(value)) == value


@given(NUMBERS, st.integers(-40, 10))
def test_decimals_keep_every_digit(number, exponent):
    value = F(number) * F(10) ** exponent
    text = f"{number}e{exponent}"
    assert exact(text, "x") == exact(Decimal(text), "x") == value


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("sNaN"), Decimal("-Infinity"), Decimal("1e400")])
def test_exact_refuses_odd_decimals(value):
    with pytest.raises(InputError):
        exact(value, "x")


ARRAYS = [np.True_, np.array(6), np.array([6]), np.datetime64(6, "s")]


@pytest.mark.parametrize("value", [0.7, float("inf"), float("nan"), True, False, None, b"1", [1], (1, 2), 1j, *ARRAYS])
def test_what_is_no_number_is_refused(value):
    for read in (lambda: exact(value, "slot"), lambda: integer(value, "slot", least=0)):
        with pytest.raises(InputError) as caught:
            read()
        assert caught.value.field == "slot" and str(caught.value).startswith("slot: ")


TOO_LONG = [10**80, -(10**80), F(1, 10**80), 10**9000, F(10**9000), F(1, 10**9000 + 1)]


@pytest.mark.parametrize("value", TOO_LONG, ids=lambda value: type(value).__name__)
def test_exact_refuses_numbers_too_long_to_handle(value):
    with pytest.raises(InputError) as caught:
        exact(value, "x")
    assert str(caught.value).startswith("x: the number is too long")
    assert len(str(caught.value)) < 150


def test_integer():
    assert integer(1, "count", least=1) == 1
    for value in (True, False, 1.5, "1", F(1, 2), Decimal("1.5"), float("inf"), None):
        with pytest.raises(InputError, match="count: must be an integer"):
            integer(value, "count", least=0)
    with pytest.raises(InputError, match=r"count: must be at least 1 \(got 0\)"):
        integer(0, "count", least=1)
    with pytest.raises(InputError, match="about -1e5000"):
        integer(-(10**5000), "count", least=1)


WHOLE = [6, 6.0, F(6), Decimal("6.0"), np.int64(6), np.uint8(6), np.float32(6)]


@pytest.mark.parametrize("value", WHOLE, ids=lambda value: type(value).__name__)
def test_whole_numbers_of_every_type_are_taken(value):
    assert exact(value, "x") == integer(value, "x", least=6) == 6
    assert type(exact(value, "x")) is F and type(integer(value, "x", least=0)) is int
    assert type(exact(value, "x").numerator) is int


@pytest.mark.parametrize("value", [0.75, np.float64(0.75), np.float32(0.75), np.float16(0.75)])
def test_a_fraction_as_a_float_is_refused_with_the_ways_in(value):
    with pytest.raises(InputError) as caught:
        exact(value, "x")
    assert all(way in str(caught.value) for way in ('"0.75"', "Fraction(3, 4)", "from_frame(..., decimals=3)"))


@pytest.mark.parametrize("value", [2.0**53, -(2.0**53), 1e22, np.float32(2**24), np.float16(2**11)])
def test_a_float_whose_neighbours_are_further_than_1_is_refused(value):
    with pytest.raises(InputError, match="of this size is not exact"):
        exact(value, "x")
    assert exact(np.float32(2**24 - 1), "x") == 2**24 - 1 and exact(1 - 2.0**53, "x") == 1 - 2**53


@pytest.mark.parametrize(
    "name", ["", " ", "a ", " a", "a\n", "a\x00b", "\t", "\x1b[31m", "\ud800", "x" * 201, 1, None, b"a"]
)
def test_identifier_refuses(name):
    with pytest.raises(InputError) as caught:
        identifier(name, "jobs[0].id")
    assert caught.value.field == "jobs[0].id"
    str(caught.value).encode()  # can be printed, whatever was in the name


@given(RATIOS, st.builds(F, st.integers(1, 10**9), st.integers(1, 10**9)))
def test_ceil_to_is_the_least_multiple(value, grid):
    result = ceil_to(value, grid)
    assert (result / grid).denominator == 1
    assert result - grid < value <= result


def test_common_denominator():
    assert common_denominator([], 10) == 1
    assert common_denominator([F(5), F(1, 4), F(5, 6)], 12) == 12
    assert common_denominator([F(1, 4), F(1, 6), F(1, 5)], 11) > 11
    primes = [F(1, 10**39 + n) for n in range(1000)]
    assert 10**80 < common_denominator(primes, 10**80) < 10**120


LONG = [10**9000, -(10**9000), F(10**9000), F(1, 10**9000), [10**9000], "x" * 10**6, [0] * 10**5]


@pytest.mark.parametrize("value", LONG, ids=lambda value: type(value).__name__)
def test_shorten_never_fails_and_stays_short(value):
    assert 0 < len(shorten(value)) <= 60


def test_long_numbers_are_rounded_or_abbreviated_in_every_message():
    """Times of 40 digits a side, as files may hold; sums of thousands of these have more than Python writes out."""
    digits, short = "1234567890" * 4, "123456789012…567890 (40 digits)"
    fine, huge = F(f"{digits}/7"), F(10**5000 + 1, 10**4999)
    assert str(InputError(f"above {fine}", field="jobs", value=digits)) == f"jobs: above {short}/7 (got '{short}')"
    assert str(TooLargeError(f"ticks of {fine}")) == f"ticks of {short}/7"
    assert Violation("start", ("J",), f"starts at {fine}").message == f"starts at {short}/7"
    assert str(InputError("no", value=huge)) == "no (got about 10)"
    assert [shorten(one) for one in (10**5000, F(-3 * 10**5000, 7))] == ["about 1e5000", "about -1e4999"]
    assert str(InputError("a name", value="9" * 30)) == f"a name (got '{'9' * 30}')"


@pytest.mark.parametrize(
    "error",
    [
        InputError("bad", field="jobs[0].id", value=[1], file="a.json"),
        VerificationError("broken:", (Violation("grid", ("J1",), "off the grid"),)),
        TooLargeError("too large"),
    ],
)
def test_errors_cross_process_borders(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert copy.__dict__ == error.__dict__


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (4912968, "4,912,968"),
        (Fraction(37, 30), "1.23333"),
        (Fraction(14738905, 3), "4,912,968.3"),
        (Fraction(-5, 2), "−2.5"),
        (10**12, "1·10¹²"),
        (1234567 * 10**10, "12.3457·10¹⁵"),
        (Fraction(1, 4000), "250·10⁻⁶"),
        (Fraction(1, 10**40), "100·10⁻⁴²"),
    ],
)
def test_format_number(value, text):
    assert format_number(Fraction(value)) == text
