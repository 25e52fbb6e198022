"""A hundred ways to forge a ledger, each found by re-checking it."""

from __future__ import annotations

import sqlite3
import zlib
from contextlib import closing
from random import Random

import msgspec
import pytest

from oas.campaigns.declaration import load_campaign
from oas.campaigns.driver import drive
from oas.campaigns.engines import pool_engine
from oas.campaigns.ledger import Ledger
from oas.campaigns.plan import plan
from oas.campaigns.verify import verify_ledger
from tests.slow import every_fourth_quick

CAMPAIGN = """
name = "forged"
[[instances]]
generator = "section4"
seeds = "0-2"
parameters = { jobs = 5, slot_percent = 50, bandwidth = "tight" }
[[instances]]
generator = "uni"
parameters = { organizations = 3, jobs = 7, processors = 8 }
[[methods]]
exact = "highs"
[[methods]]
heuristics = ["FPFS", "ILBA", "LPT"]
"""


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    folder = tmp_path_factory.mktemp("honest")
    (folder / "forged.toml").write_text(CAMPAIGN)
    with Ledger(folder / "honest.ledger", write=True) as ledger, pool_engine(1) as engine:
        orders = plan(load_campaign(folder / "forged.toml"), ledger)
        assert drive(orders, ledger, engine) == len(orders)
        assert [one.fault for one in verify_ledger(ledger)] == [""] * len(orders)
    return folder / "honest.ledger"


def forge_column(rng, connection, key):
    """Change a figure, or what is said to have been run."""
    forgeries = {
        "objective": "1",
        "lower_bound": "999999999",
        "gap": 0.125,
        "status": "infeasible",
        "termination": "killed",
        "proof": "brute_force",
        "message": "all is well",
        "solver": "guess",
        "formulation": "guess",
        "threads": 64,
        "versions": "{}",
        "parameters": '{"name": "other"}',
        "limits": '{"time": "1", "memory": null}',
        "seed": 77,
        "repetition": 5,
        "source": "0" * 64,
        "package": "9.9",
    }
    name = rng.choice(sorted(forgeries))
    connection.execute(f"UPDATE runs SET {name} = ? WHERE key = ?", (forgeries[name], key))


def forge_locality(_rng, connection, key):
    """Turn around whether the method minds the organizations."""
    connection.execute("UPDATE runs SET keeps_locality = 1 - keeps_locality WHERE key = ?", (key,))


def forge_result(rng, connection, key):
    """Change the stored result, and the figures with it, so that only checking the schedule or the bound helps."""
    (packed,) = connection.execute("SELECT result FROM runs WHERE key = ?", (key,)).fetchone()
    document = msgspec.json.decode(zlib.decompress(packed))
    placements = document["schedule"]["placements"]
    match rng.randrange(4):
        case 0:  # a node less than the job needs
            next(iter(rng.choice(placements)["nodes"].values())).pop()
        case 1:  # a job gone
            placements.pop(rng.randrange(len(placements)))
        case 2:  # a run too short
            one = rng.choice(placements)
            one["end"] = f"{msgspec.json.encode(one['end']).decode().strip(chr(34))}"
            one["start"] = one["end"]
        case 3:  # of another instance
            document["instance_digest"] = "0" * 64
    forged = zlib.compress(msgspec.json.encode(document))
    connection.execute("UPDATE runs SET result = ? WHERE key = ?", (forged, key))


def forge_bytes(rng, connection, key):
    """Damage or drop the stored result."""
    (packed,) = connection.execute("SELECT result FROM runs WHERE key = ?", (key,)).fetchone()
    damaged = b"" if rng.random() < 0.3 else _changed(packed, len(packed) // 2)
    connection.execute("UPDATE runs SET result = ? WHERE key = ?", (damaged, key))


def _changed(data, place):
    return data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :]


FORGERIES = (forge_column, forge_column, forge_result, forge_bytes, forge_locality)


@pytest.mark.parametrize("seed", every_fourth_quick(range(52)))
def test_each_forged_row_is_found(honest, tmp_path, seed):
    rng = Random(seed)
    path = tmp_path / "forged.ledger"
    with closing(sqlite3.connect(honest)) as connection, closing(sqlite3.connect(path)) as copy, copy:
        connection.backup(copy)
        keys = [
            key for (key,) in copy.execute("SELECT key FROM runs WHERE objective IS NOT NULL ORDER BY digest, method")
        ]
        victim = rng.choice(keys)
        FORGERIES[seed % len(FORGERIES)](rng, copy, victim)
    with Ledger(path) as ledger:
        faulty = [one.record.key for one in verify_ledger(ledger) if one.fault]
    assert faulty == [victim]
