import pickle
from fractions import Fraction as F

import pytest

from oas.core.errors import InputError, OasError, TooLargeError, VerificationError, shorten, within
from oas.core.violation import Violation


def test_message_names_file_field_and_value() -> None:
    error = InputError("must be above 0", field="jobs[3].base_time", value="-1", file="grid.json")
    assert str(error) == "grid.json: jobs[3].base_time: must be above 0 (got '-1')"
    assert isinstance(error, OasError)
    assert isinstance(error, ValueError)


def test_message_with_less() -> None:
    assert str(InputError("empty")) == "empty"
    assert str(InputError("empty", field="jobs")) == "jobs: empty"
    assert str(InputError("empty", file="a.json")) == "a.json: empty"
    assert str(InputError("odd", value=0)) == "odd (got 0)"


def test_within_builds_the_path_from_inside_out() -> None:
    with pytest.raises(InputError) as caught, within("clusters[1]"), within("groups"), within("[0]"):
        raise InputError("bad", field="power", value=2)
    assert caught.value.field == "clusters[1].groups[0].power"
    with pytest.raises(InputError) as caught, within("jobs"):
        raise InputError("bad")
    assert caught.value.field == "jobs"


def test_within_leaves_other_errors_alone() -> None:
    with pytest.raises(TooLargeError, match="many"), within("jobs"):
        raise TooLargeError("many")


LONG = [10**9000, -(10**9000), F(10**9000), F(1, 10**9000), [10**9000], "x" * 10**6, [0] * 10**5]


@pytest.mark.parametrize("value", LONG, ids=lambda value: type(value).__name__)
def test_shorten_never_fails_and_stays_short(value: object) -> None:
    assert 0 < len(shorten(value)) <= 60


def test_shorten_keeps_what_fits() -> None:
    assert shorten("x" * 58) == repr("x" * 58)
    assert shorten("x" * 59) == repr("x" * 59)[:59] + "…"
    assert shorten(True) == "True"
    assert (shorten(F(5, 2)), shorten(F(3))) == ("5/2", "3")


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


def test_verification_error_lists_ten() -> None:
    violations = tuple(Violation("capacity", (f"J{n}",), f"number {n}") for n in range(12))
    error = VerificationError("the schedule breaks 12 rules:", violations)
    assert error.violations == violations
    lines = str(error).split("\n")
    assert len(lines) == 11
    assert lines[1].strip() == "[capacity] number 0"


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
