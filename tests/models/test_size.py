"""The check that a model is not too large to be built."""

from __future__ import annotations

import pytest

from oas.core.errors import TooLargeError
from oas.models.size import check_size


def test_a_model_too_large_is_refused_with_both_figures_as_tables_show_them():
    check_size("start-indexed", "start variables", 300_000, 300_000)
    with pytest.raises(TooLargeError) as refused:
        check_size("start-indexed", "start variables", 731_292, 300_000)
    assert str(refused.value) == "the start-indexed model would have 731,292 start variables, above 300,000"
