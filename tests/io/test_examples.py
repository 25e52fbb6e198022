"""The examples that come with the package."""

from __future__ import annotations

from pathlib import Path

import pytest

import oas
from oas.core.errors import InputError
from oas.io.examples import EXAMPLES, FOLDER, example_bytes, example_name, load_example

REPOSITORY = Path(__file__).parents[2] / "examples"


def test_every_file_is_described_and_there() -> None:
    assert set(EXAMPLES) == {path.name for path in REPOSITORY.iterdir()}
    assert FOLDER.resolve() == REPOSITORY
    for name, what in EXAMPLES.items():
        assert example_bytes(name) == (REPOSITORY / name).read_bytes()
        assert what and "\n" not in what


@pytest.mark.parametrize("name", ["grid", "grid.json", "organizations", "organizations.json", "fair", "fair.json"])
def test_instances_are_loaded_with_or_without_suffix(name: str) -> None:
    assert load_example(name) == oas.load_example(name) == oas.load(REPOSITORY / example_name(name))


def test_a_newcomer_gets_the_grid() -> None:
    assert load_example() == load_example("grid")


def test_what_is_no_instance_or_no_example_is_refused() -> None:
    for name in ("sacct", "campaign.toml"):
        with pytest.raises(InputError, match=r"is no instance: .*oas example"):
            load_example(name)
    with pytest.raises(InputError, match="did you mean grid"):
        load_example("grdi")
    with pytest.raises(InputError, match="unknown"):
        load_example("../examples/grid.json")
