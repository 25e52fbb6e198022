"""`oas bench verify` makes a campaign's instances again: a ledger may have another's in their place."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from oas.campaigns.ledger import Ledger
from oas.campaigns.plan import plan
from oas.campaigns.verify import verify_sources
from oas.cli.main import app
from oas.generate import tiny
from oas.io import save
from tests.campaigns.runs import campaign_of

CAMPAIGN = """
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
    read = campaign_of(tmp_path, CAMPAIGN)
    with Ledger(tmp_path / "own.ledger", write=True) as ledger:
        assert len(plan(read, ledger)) == 4
    return read


def faults(campaign):
    with Ledger("own.ledger") as ledger:
        return [fault for _, fault in verify_sources(campaign.sources, ledger)]


def test_an_honest_ledger(campaign):
    assert faults(campaign) == [""] * 4


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
