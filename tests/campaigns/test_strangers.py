"""A ledger from a stranger: reading, verifying and exporting it runs nothing, and unpacks no more than is read."""

from __future__ import annotations

import json
import sqlite3
import zlib
from contextlib import closing
from dataclasses import replace

import pytest

from oas.campaigns.identity import run_key
from oas.campaigns.ledger import Ledger
from oas.campaigns.verify import verify_ledger
from oas.core.errors import InputError
from oas.generate import uni
from oas.io.writing import dumps
from tests.campaigns.runs import a_record
from tests.commands import run

TRAP = """
import pathlib
pathlib.Path(__file__).with_name("ran").touch()


def trap(instance):
    raise SystemExit
"""


OWN = """
name = "own"
[[instances]]
generator = "uni"
seeds = "1"
parameters = { jobs = 3, organizations = 2, processors = 4 }
[[methods]]
heuristics = ["MOCCA"]
"""


def with_key(record):
    """The record under the key of what it says was run, as whoever forges it would write it."""
    key = run_key(
        record.digest,
        record.kind,
        json.loads(record.parameters),
        record.source,
        json.loads(record.limits),
        record.seed,
        record.repetition,
        record.package,
    )
    return replace(record, key=key)


def forged(path, **columns):
    """A ledger with an honest instance and one run, its columns as given."""
    instance = uni(seed=1, jobs=3, organizations=2, processors=4)
    with Ledger(path, write=True) as ledger:
        ledger.add_instance("f", instance.digest, instance.name, "mosp", dumps(instance))
        given = {"kind": "heuristic", "status": "no_solution", "parameters": '{"name": "MOCCA"}', "limits": "{}"}
        ledger.add([with_key(replace(a_record("k", digest=instance.digest), **(given | columns)))])
    return path


@pytest.mark.parametrize("name", ["a_trap:trap", "LSRC(a_trap:trap)", "BATCH(a_trap:trap)"])
def test_a_function_named_in_a_row_is_not_imported(tmp_path, name):
    (tmp_path / "a_trap.py").write_text(TRAP)
    (tmp_path / "own.toml").write_text(OWN)
    forged(tmp_path / "x.ledger", parameters=json.dumps({"name": name}), method=name)
    for command in (["status"], ["verify"], ["report", "--output", "page"], ["export", "--output", "x.csv"]):
        ended = run(tmp_path, "bench", command[0], "own.toml", "--ledger", "x.ledger", *command[1:])
        assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "x.csv").read_text().count("a_trap:trap") == 2  # its label and its name
    assert not (tmp_path / "ran").exists()
    # The trap works where a person names it.
    assert run(tmp_path, "test-heuristic", "a_trap:trap").returncode != 0
    assert (tmp_path / "ran").exists()


def test_a_result_that_unpacks_to_too_much_is_a_fault(tmp_path, monkeypatch):
    monkeypatch.setattr("oas.campaigns.record.MAX_BYTES", 10_000)
    path = forged(tmp_path / "x.ledger", result=zlib.compress(bytes(10**6)))
    with Ledger(path) as ledger:
        (checked,) = verify_ledger(ledger)
    assert "more than 10000 bytes" in checked.fault


def test_an_instance_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    path = forged(tmp_path / "x.ledger")
    monkeypatch.setattr("oas.campaigns.ledger.MAX_BYTES", 100)
    with Ledger(path) as ledger, pytest.raises(InputError, match="more than 100 bytes"):
        ledger.document(uni(seed=1, jobs=3, organizations=2, processors=4).digest)


@pytest.mark.parametrize("parameters", ["[]", "1", '"a"', "{}", '{"name": 1}'])
def test_parameters_of_another_shape_are_a_fault(tmp_path, parameters):
    path = forged(tmp_path / "x.ledger", parameters=parameters)
    with Ledger(path) as ledger:
        (checked,) = verify_ledger(ledger)
    assert checked.fault == "the key is not that of what the row says was run"


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE runs RENAME TO other; CREATE VIEW runs AS SELECT * FROM other",
        "CREATE TRIGGER t AFTER INSERT ON runs BEGIN SELECT 1; END",
        "CREATE TABLE more (a)",
        "CREATE INDEX i ON runs (length(key))",
        "ALTER TABLE instances ADD COLUMN more AS (length(name))",
        "ALTER TABLE instances RENAME COLUMN name TO other",
        "DROP TABLE sources",
    ],
)
def test_other_tables_than_a_ledgers_are_refused(tmp_path, change):
    path = forged(tmp_path / "x.ledger")
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(change)
    with pytest.raises(InputError, match="tables"):
        Ledger(path)


def test_an_honest_ledger_is_read(tmp_path):
    with Ledger(forged(tmp_path / "x.ledger")) as ledger:
        assert [one.fault for one in verify_ledger(ledger)] == [""]
