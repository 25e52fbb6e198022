"""Formulations pinned by stored LP files, and the check that a model is not too large to be built."""

import pytest

from oas.core.errors import TooLargeError
from oas.solving.formulation import check_size
from tests.solving.pinned import FOLDER, PINNED, lp_text, path_of
from tests.solving.rows import assert_same_model


@pytest.mark.parametrize("name", PINNED)
def test_the_model_is_the_stored_one(name):
    assert_same_model(lp_text(name), path_of(name))


def test_every_stored_file_is_compared():
    assert set(FOLDER.rglob("*.lp")) == set(map(path_of, PINNED))


def test_a_model_too_large_is_refused_with_both_figures_as_tables_show_them():
    check_size("start-indexed", "start variables", 300_000, 300_000)
    with pytest.raises(TooLargeError) as refused:
        check_size("start-indexed", "start variables", 731_292, 300_000)
    assert str(refused.value) == "the start-indexed model would have 731,292 start variables, above 300,000"
