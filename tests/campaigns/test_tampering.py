"""Ways to forge a ledger, each found by re-checking it; instances made again, as a ledger may have another's."""

import sqlite3
import zlib
from contextlib import closing

import msgspec
import pytest

from oas.campaigns.declaration import load_campaign
from oas.campaigns.driver import drive
from oas.campaigns.engines import pool_engine
from oas.campaigns.ledger import Ledger
from oas.campaigns.plan import plan
from oas.campaigns.verify import verify_ledger, verify_sources
from oas.cli.main import app
from oas.generate import tiny
from oas.io import save
from tests.campaigns.runs import campaign_of

CAMPAIGN = """
name = "forged"
[[instances]]
generator = "section4"
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


COLUMNS = {
    "objective": "1",
    "lower_bound": "999999999",
    "certified_bound": "999999999",
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
    "result": b"",
}


def too_few_nodes(document):
    next(iter(document["schedule"]["placements"][0]["nodes"].values())).pop()


def a_job_gone(document):
    document["schedule"]["placements"].pop()


def too_short(document):
    one = document["schedule"]["placements"][0]
    one["start"] = one["end"]


def of_another_instance(document):
    document["instance_digest"] = "0" * 64


def in_column(column):
    return lambda connection, key: write(connection, key, column, COLUMNS[column])


def turn_locality(connection, key):
    """Turn around whether the method minds the organizations."""
    connection.execute("UPDATE runs SET keeps_locality = 1 - keeps_locality WHERE key = ?", (key,))


def in_result(change):
    """Change the stored result, so that only checking the schedule or the bound helps."""

    def forge(connection, key):
        document = msgspec.json.decode(zlib.decompress(stored(connection, key)))
        change(document)
        write(connection, key, "result", zlib.compress(msgspec.json.encode(document)))

    return forge


def flip_a_byte(connection, key):
    data = stored(connection, key)
    place = len(data) // 2
    write(connection, key, "result", data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :])


def stored(connection, key):
    ((data,),) = connection.execute("SELECT result FROM runs WHERE key = ?", (key,))
    return data


def write(connection, key, column, value):
    connection.execute(f"UPDATE runs SET {column} = ? WHERE key = ?", (value, key))


FORGERIES = {
    **{column: in_column(column) for column in COLUMNS},
    **{change.__name__: in_result(change) for change in (too_few_nodes, a_job_gone, too_short, of_another_instance)},
    "turn_locality": turn_locality,
    "flip_a_byte": flip_a_byte,
}


def forged(honest, path, change, place):
    """Copy a ledger, change a row of the method at this place in turn; return its key and those of faulty rows."""
    with closing(sqlite3.connect(honest)) as connection, closing(sqlite3.connect(path)) as copy, copy:
        connection.backup(copy)
        query = "SELECT key FROM runs WHERE objective IS NOT NULL GROUP BY method ORDER BY method"
        victims = [key for (key,) in copy.execute(query)]
        victim = victims[place % len(victims)]
        change(copy, victim)
    with Ledger(path) as ledger:
        return victim, [one.record.key for one in verify_ledger(ledger) if one.fault]


@pytest.mark.parametrize("name", FORGERIES)
def test_each_forged_row_is_found(honest, tmp_path, name):
    """An exact run and one of each heuristic in turn are forged."""
    victim, faulty = forged(honest, tmp_path / "forged.ledger", FORGERIES[name], list(FORGERIES).index(name))
    assert faulty == [victim]


OWN_CAMPAIGN = """
name = "own"
[[instances]]
generator = "tiny"
seeds = "0-2"
[[instances]]
files = ["grid.json"]
[[methods]]
heuristics = "FCFS"
"""


@pytest.fixture
def campaign(tmp_path, monkeypatch):
    """A campaign with an honest ledger that holds its instances, and no runs."""
    monkeypatch.chdir(tmp_path)
    save(tiny(seed=9), "grid.json")
    read = campaign_of(tmp_path, OWN_CAMPAIGN)
    with Ledger(tmp_path / "own.ledger", write=True) as ledger:
        assert len(plan(read, ledger)) == 4
    return read


def faults(campaign):
    with Ledger("own.ledger") as ledger:
        return [fault for _, fault in verify_sources(campaign.sources, ledger)]


def test_an_instance_in_the_place_of_another(campaign, capfd):
    one, other = (source.make().digest for source in campaign.sources[1:3])
    with closing(sqlite3.connect("own.ledger")) as connection, connection:
        change = "UPDATE sources SET digest = ? WHERE fingerprint = ?"
        assert connection.execute(change, (other, campaign.sources[1].fingerprint())).rowcount == 1
    found = faults(campaign)
    assert found == ["", f"the ledger has instance {other} for it, but it gives {one}", "", ""]
    assert app(["bench", "verify", "campaign.toml"], standalone_mode=False) == 3
    done = capfd.readouterr()
    assert done.err == f"instances[0], tiny: {found[1]}\n"
    counts = dict(line.rsplit(None, 1) for line in done.out.splitlines())
    assert (counts["instances"], counts["faults"]) == ("4", "1")


def test_what_the_ledger_lacks_is_no_fault(campaign):
    with closing(sqlite3.connect("own.ledger")) as connection, connection:
        connection.execute("DELETE FROM sources WHERE fingerprint = ?", (campaign.sources[3].fingerprint(),))
    assert faults(campaign) == [""] * 3
