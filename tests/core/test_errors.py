"""Messages of errors, and numbers and names as written in figures."""

from __future__ import annotations

import pickle
from fractions import Fraction
from fractions import Fraction as F

import pytest

from oas.core.errors import InputError, OasError, TooLargeError, VerificationError, shorten, within
from oas.core.formats import plural, show_count
from oas.core.names import near_names, unknown_name
from oas.core.violation import Violation
from oas.plots.axes import axis_power, format_number, scaled_formatter
from oas.plots.labels import drawable, shorten_middle


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


# The answer to a name that nothing has


KNOWN = ("FCFS", "SJF", "start-indexed")


@pytest.mark.parametrize(
    ("name", "near"),
    [("FCSF", ["FCFS"]), ("fcfs", ["FCFS"]), ("start_indexd", ["start-indexed"]), ("magic", []), ("", [])],
)
def test_near_names_are_found_whatever_their_case(name: str, near: list[str]) -> None:
    assert near_names(name, KNOWN) == near


def test_the_error_names_what_is_near_and_what_is_known() -> None:
    error = unknown_name("FCSF", KNOWN, "heuristic", further="package.module:function")
    assert str(error) == (
        "heuristic: unknown; did you mean FCFS? known: FCFS, SJF, start-indexed, or package.module:function"
        " (got 'FCSF')"
    )
    assert str(unknown_name("magic", KNOWN, reason="no such thing")) == (
        "no such thing; known: FCFS, SJF, start-indexed (got 'magic')"
    )
    assert unknown_name("sjf", KNOWN, listed=False).reason == "unknown; did you mean SJF?"
    assert unknown_name(3, KNOWN, listed=False).reason == "unknown"


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


@pytest.mark.parametrize(
    ("largest", "power"), [(0.0, 0), (0.5, 0), (999_999.0, 0), (1e6, 6), (9.9e8, 6), (1e9, 9), (0.002, -3), (2e-7, -9)]
)
def test_axis_power(largest, power):
    assert axis_power(largest) == power


def test_ticks_are_grouped_and_scaled():
    assert scaled_formatter(0)(250000, 0) == "250,000"
    assert scaled_formatter(6, "·10⁶")(2500000, 0) == "2.5·10⁶"
    assert scaled_formatter(6, "·10⁶")(0, 0) == "0"


def test_long_names_keep_both_ends():
    assert shorten_middle("job-000123", 7) == "job…123"
    assert shorten_middle("short", 5) == "short"
    assert [len(shorten_middle("x" * 50, limit)) for limit in range(1, 50)] == list(range(1, 50))


def test_signs_the_font_lacks_become_question_marks():
    assert drawable("$a_b^ Γ ж <&>") == "$a_b^ Γ ж <&>"
    assert drawable("作1") == "?1"


def test_counts_take_the_form_that_goes_with_them() -> None:
    assert [show_count(number, "job") for number in (0, 1, 2, 1000)] == ["0 jobs", "1 job", "2 jobs", "1,000 jobs"]
    assert [show_count(number, "entry", "entries") for number in (1, 3)] == ["1 entry", "3 entries"]
    assert (plural(1, "node"), plural(5, "node")) == ("node", "nodes")
