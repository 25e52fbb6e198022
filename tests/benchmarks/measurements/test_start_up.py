"""The measurement of short commands: every command runs, and few jobs have the same status cold and warm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.measurements.start_up import COMMANDS, OAS, instances, seconds, status
from oas.io import save

if TYPE_CHECKING:
    from pathlib import Path


def test_commands_and_instances(tmp_path: Path) -> None:
    code = tmp_path / "code"
    seconds([*OAS, "example", "grid.json"], tmp_path, code)
    assert all(seconds(command, tmp_path, code) > 0 for command in list(COMMANDS.values())[:3])
    drawn = list(instances(10))
    assert {one.variant for one in drawn} >= {"forbid", "slowdown", ""} and len(drawn) == 10
    save(drawn[2], tmp_path / "few.json")
    assert status(tmp_path / "few.json", code) == "optimal"
