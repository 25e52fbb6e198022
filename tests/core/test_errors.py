"""Messages of errors, and numbers and names as written in figures."""

from __future__ import annotations

import pickle
from fractions import Fraction
from fractions import Fraction as F

import pytest

from oas.core.errors import InputError, OasError, TooLargeError, VerificationError, shorten, within
from oas.core.names import near_names
from oas.core.violation import Violation
from oas.plots.axes import format_number


def test_message_names_file_field_and_value() -> None:
    error = InputError("must be above 0", field="jobs[3].base_time", value="-1", file="grid.json")
    assert str(error) == "grid.json: jobs[3].base_time: must be above 0 (got '-1')"
    assert isinstance(error, OasError)
    assert isinstance(error, ValueError)


def test_within_builds_the_path_from_inside_out() -> None:
    with pytest.raises(InputError) as caught, within("clusters[1]"), within("groups"), within("[0]"):
        raise InputError("bad", field="power", value=2)
    assert caught.value.field == "clusters[1].groups[0].power"
    with pytest.raises(InputError) as caught, within("jobs"):
        raise InputError("bad")
    assert caught.value.field == "jobs"


LONG = [10**9000, -(10**9000), F(10**9000), F(1, 10**9000), [10**9000], "x" * 10**6, [0] * 10**5]


@pytest.mark.parametrize("value", LONG, ids=lambda value: type(value).__name__)
def test_shorten_never_fails_and_stays_short(value: object) -> None:
    assert 0 < len(shorten(value)) <= 60


def test_long_numbers_are_rounded_or_abbreviated_in_every_message() -> None:
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
def test_errors_cross_process_borders(error: OasError) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert copy.__dict__ == error.__dict__


# The answer to a name that nothing has


KNOWN = ("FCFS", "SJF", "start-indexed")


@pytest.mark.parametrize(
    ("name", "near"),
    [("FCSF", ["FCFS"]), ("fcfs", ["FCFS"]), ("start_indexd", ["start-indexed"]), ("magic", []), ("", [])],
)
def test_near_names_are_found_whatever_their_case(name: str, near: list[str]) -> None:
    assert near_names(name, KNOWN) == near


# Numbers and names in figures


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (7, "7"),
        (4912968, "4,912,968"),
        (Fraction(37, 30), "1.23333"),
        (Fraction(1, 2), "0.5"),
        (Fraction(14738905, 3), "4,912,968.3"),
        (Fraction(1, 400), "0.0025"),
        (Fraction(-5, 2), "-2.5"),
        (10**12, "1·10¹²"),
        (1234567 * 10**10, "12.3457·10¹⁵"),
        (Fraction(1, 4000), "250·10⁻⁶"),
        (Fraction(1, 10**40), "100·10⁻⁴²"),
    ],
)
def test_format_number(value, text):
    assert format_number(Fraction(value)) == text
