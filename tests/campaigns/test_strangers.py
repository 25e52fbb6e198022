"""A ledger from a stranger: reading, verifying and exporting it runs nothing, and unpacks no more than is read."""

import json
import re
import sqlite3
import zlib
from contextlib import closing
from dataclasses import replace

import pytest

from oas.campaigns.ledger import Ledger
from oas.campaigns.methods import run_key
from oas.campaigns.plan import plan
from oas.campaigns.report.writing import write
from oas.campaigns.status import export, status, verify_ledger
from oas.core.errors import InputError
from oas.generate import uni
from oas.io.writing import dumps
from tests.campaigns.report.campaigns import make
from tests.campaigns.runs import a_record, campaign_of
from tests.commands import run
from tests.slow import mostly_slow

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
    """Return the record with a key that matches its columns, as a forger would write it."""
    asked = record.digest, record.kind, json.loads(record.parameters), record.source, json.loads(record.limits)
    return replace(record, key=run_key(*asked, record.seed, record.repetition, record.package))


def forged(path, *others, **columns):
    """A ledger with an honest instance and a run, its columns as given; `others` are the columns of further runs."""
    instance = uni(seed=1, jobs=3, organizations=2, processors=4)
    with Ledger(path, write=True) as ledger:
        ledger.add_instance("f", instance.digest, instance.name, "mosp", dumps(instance))
        given = {"kind": "heuristic", "status": "no_solution", "parameters": '{"name": "MOCCA"}', "limits": "{}"}
        record = a_record("k", digest=instance.digest)
        ledger.add([with_key(replace(record, **(given | row))) for row in (columns, *others)])
    return path


@pytest.mark.parametrize("command", mostly_slow(["status", "verify", "report", "export"], quick=["verify"]))
def test_a_function_named_in_a_row_is_not_imported(tmp_path, command):
    (tmp_path / "a_trap.py").write_text(TRAP)
    (tmp_path / "own.toml").write_text(OWN)
    names = ["a_trap:trap", "LSRC(a_trap:trap)", "BATCH(a_trap:trap)"]
    first, *others = ({"parameters": json.dumps({"name": name}), "method": name} for name in names)
    forged(tmp_path / "x.ledger", *others, **first)
    output = ["--output", "out.csv"] if command in ("report", "export") else []
    ended = run(tmp_path, "bench", command, "own.toml", "--ledger", "x.ledger", *output)
    assert ended.returncode == 0, ended.stderr
    if command == "export":
        assert (tmp_path / "out.csv").read_text().count("a_trap:trap") == 6  # their labels and names
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
    path = changed(forged(tmp_path / "x.ledger"), "document", zlib.compress(bytes(10**6)), "instances")
    monkeypatch.setattr("oas.campaigns.ledger.MAX_BYTES", 10_000)
    with Ledger(path) as ledger, pytest.raises(InputError, match="more than 10000 bytes"):
        ledger.document(uni(seed=1, jobs=3, organizations=2, processors=4).digest)


@pytest.mark.parametrize("parameters", ["[]", "1", '"a"', "{}", '{"name": 1}'])
def test_parameters_of_another_shape_are_a_fault(tmp_path, parameters):
    path = forged(tmp_path / "x.ledger", parameters=parameters)
    with Ledger(path) as ledger:
        (checked,) = verify_ledger(ledger)
    assert checked.fault == "the key does not match the other columns of the run"


def changed(path, column, value, table="runs"):
    """Write a value into a column, whatever its type."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE {table} SET {column} = ?", (value,))
    return path


def uses(path, folder):
    """Run status, verify, report and export on a ledger; return the faults that verify finds."""
    campaign = campaign_of(folder, OWN, "own.toml")
    with Ledger(path) as ledger:
        orders = plan(campaign, ledger)
        status(orders, ledger)
        export(ledger, {order.key for order in orders}, folder / "x.csv")
        write(campaign, orders, ledger, folder / "page")
        return [one.fault for one in verify_ledger(ledger)]


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    return make(tmp_path_factory.mktemp("honest"), OWN)


def copied(honest, path):
    honest.ledger(path).close()
    return changed(path, "fingerprint", honest.campaign.sources[0].fingerprint(), "sources")


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("key", b"\xff"),
        ("kind", "x"),
        ("seed", -1),
        ("status", "done"),
        ("objective", "1/0"),
        ("gap", float("inf")),
        ("message", "steering \x1b[2J"),
        ("keeps_locality", 2),
        ("progress", "[1]"),
        ("host", "[" * 100_000),
        ("result", 1.5),
    ],
)
def test_a_column_of_another_type_is_refused_with_its_name(honest, tmp_path, column, value):
    path = changed(copied(honest, tmp_path / "x.ledger"), column, value)
    with Ledger(path) as ledger, pytest.raises(InputError, match=rf"x\.ledger: run .*: {column}: ") as refused:
        list(ledger.records(with_results=True))
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    ("table", "column", "value", "said"),
    [
        ("instances", "name", b"\xff", "name: must be text"),
        ("instances", "name", "a\x1b[2J", "printable"),
        ("instances", "problem", b"mosp", "problem: must be text"),
        ("instances", "problem", "none", "problem: unknown|no such|none"),
        ("instances", "document", "text", "document: must be bytes"),
        ("instances", "document", zlib.compress(b"[" * 100_000), "nested more than 50 deep"),
        ("instances", "document", zlib.compress(dumps(uni(seed=2, jobs=3, organizations=2, processors=4))), "another"),
        ("instances", "digest", "0" * 64, "no such instance|another"),
        ("runs", "result", zlib.compress(dumps(uni(seed=2, jobs=3, organizations=2, processors=4))), "oas-result"),
        ("runs", "parameters", '{"name": ' + "[" * 100_000, "key does not match"),
        ("runs", "limits", "9" * 5000, "key does not match"),
    ],
)
def test_what_cannot_be_used_is_an_error_or_a_fault(honest, tmp_path, table, column, value, said):
    path = changed(copied(honest, tmp_path / "x.ledger"), column, value, table)
    try:
        found = " ".join(uses(path, tmp_path))
    except InputError as error:
        found = str(error)
        assert found.isprintable()
    assert re.search(said, found)


def test_text_that_is_no_text(honest, tmp_path):
    path = copied(honest, tmp_path / "x.ledger")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE runs SET message = CAST(x'1b5b324aff' AS TEXT)")
    with Ledger(path) as ledger, pytest.raises(InputError, match="UTF-8") as refused:
        list(ledger.records())
    assert str(refused.value).isprintable()


def test_a_value_larger_than_is_read_is_refused(honest, tmp_path, monkeypatch):
    path = changed(copied(honest, tmp_path / "x.ledger"), "message", "x" * 100_000)
    monkeypatch.setattr("oas.campaigns.ledger.MAX_BYTES", 50_000)
    with Ledger(path) as ledger, pytest.raises(InputError, match="the most that is read"):
        list(ledger.records())


def test_a_label_that_steers_a_terminal_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"methods\[0\].*label.*printable"):
        campaign_of(tmp_path, OWN + 'label = "a\\u001b[2J"\n')


def test_a_name_nested_too_deep_is_no_traceback(tmp_path):
    path = forged(tmp_path / "x.ledger", parameters=json.dumps({"name": "BATCH(" * 20_000 + "LPT" + ")" * 20_000}))
    with Ledger(path) as ledger:
        assert [one.fault for one in verify_ledger(ledger)] == [""]  # it left no schedule, and says so
