"""Bounds that solvers state, taken with care; settings and limits; models written to files."""

from __future__ import annotations

from fractions import Fraction

import highspy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oas.core.errors import InputError
from oas.solvers.export import write_model
from oas.solvers.known.known_models import BUILDER, MODELS
from oas.solvers.outcome import bound_margin, finite, integer_bound, integer_gap
from oas.solvers.task import Limits, Settings, Task


@given(st.integers(-(10**15), 10**15), st.floats(-1, 1))
def test_integer_bound_is_safe(truth, error):
    # A solver states the true bound with an error inside the margin: never may the result pass the truth.
    stated = truth + error * bound_margin(truth) * 0.99
    assert integer_bound(stated) <= truth


@given(st.integers(-(10**5), 10**5))
def test_integer_bound_is_tight_for_small_magnitudes(truth):
    assert integer_bound(float(truth)) == truth
    assert integer_bound(truth - 0.5) == truth


def test_integer_bound_of_large_magnitude_gives_way():
    assert integer_bound(1e12) == 10**12 - 10**6


@pytest.mark.parametrize("bound", [float("inf"), float("-inf"), float("nan")])
def test_no_bound_of_infinity(bound):
    with pytest.raises(ValueError, match="no bound"):
        integer_bound(bound)


@given(st.integers(0, 10**5), st.integers(0, 10**5))
def test_integer_gap_still_proves(objective, more):
    # A search that stops within the gap leaves a bound from which the objective is recovered.
    magnitude = max(objective, more)
    gap = integer_gap(magnitude)
    assert 0 < gap < 1
    assert integer_bound(float(Fraction(objective) - Fraction(gap))) == objective


def test_integer_gap_is_nothing_for_large_or_unbounded_objectives():
    assert integer_gap(2e5) == 0
    assert integer_gap(float("inf")) == 0


@pytest.mark.parametrize(
    ("value", "expected"),
    [(None, None), (float("nan"), None), (float("inf"), None), (-1e30, None), (1e50, None), (3, 3.0), (-2.5, -2.5)],
)
def test_finite(value, expected):
    assert finite(value) == expected


@pytest.mark.parametrize("builder", ["", "module", "module:", ":function", "__main__:build"])
def test_bad_builder_names(builder):
    with pytest.raises(InputError, match="builder"):
        Task(builder, None)


@pytest.mark.parametrize("bad", [{"time": 0}, {"time": -1}, {"time": float("nan")}, {"memory": 0}, {"grace": -1}])
def test_bad_limits(bad):
    with pytest.raises(InputError, match=next(iter(bad))):
        Limits(**bad)


@pytest.mark.parametrize("bad", [{"solver": ""}, {"threads": 0}, {"seed": -1}, {"seed": 2**31}])
def test_bad_settings(bad):
    with pytest.raises(InputError, match=next(iter(bad))):
        Settings(**bad)


# LP and MPS files


@pytest.mark.parametrize("suffix", [".lp", ".mps", ".LP"])
@pytest.mark.parametrize("model", MODELS[:2] + MODELS[-2:], ids=lambda model: model.name)
def test_a_solver_reads_the_same_model_back(model, suffix, tmp_path, capfd):
    path = write_model(BUILDER, model.name, tmp_path / f"model{suffix}")
    plain = path.rename(path.with_suffix(suffix.lower()))
    solver = highspy.Highs()
    solver.silent()
    solver.readModel(str(plain))
    solver.run()
    assert solver.getInfo().objective_function_value == pytest.approx(float(model.optimum), abs=1e-6)
    assert "WARNING" not in capfd.readouterr().out
