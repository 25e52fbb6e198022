"""MOSP formulations pinned by stored LP files."""

from __future__ import annotations

import pytest

from tests.models.lp_compare import assert_same_model
from tests.models.mosp.pinned import FOLDER, PINNED, lp_text


@pytest.mark.parametrize("name", PINNED)
def test_the_model_is_the_stored_one(name: str) -> None:
    assert_same_model(lp_text(name), FOLDER / f"{name}.lp")


def test_every_stored_file_is_compared() -> None:
    assert {path.stem for path in FOLDER.glob("*.lp")} == set(PINNED)
