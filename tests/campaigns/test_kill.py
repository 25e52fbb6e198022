"""A campaign under test, in a smoke size; the long check is `python -m benchmarks.robustness.kill_campaign`."""

import shutil

import pytest

from benchmarks.robustness.kill_campaign import CampaignKillTest
from oas.campaigns.ledger import Ledger

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def test(tmp_path_factory):
    """A kill test whose undisturbed campaign has run."""
    return CampaignKillTest(tmp_path_factory.mktemp("kills"), seed=1, last=0)


def test_a_few_kills(test):
    test.run(3)
    assert test.violations == []
    assert test.kills.total() == 3 and test.kills["driver"] and test.rounds
    assert len(test.reference) > 25


def test_it_sees_what_it_looks_for(test, tmp_path, monkeypatch):
    monkeypatch.setattr(test, "violations", [])
    path = tmp_path / "undisturbed.ledger"
    shutil.copy(test.folder / path.name, path)
    seen = {}
    test.look(path, seen)
    assert len(seen) == len(test.reference) and test.violations == []
    with Ledger(path, write=True) as ledger:
        first, second, *_ = sorted(seen)
        ledger._connection.execute("DELETE FROM runs WHERE key = ?", (first,))
        ledger._connection.execute("UPDATE runs SET objective = '1' WHERE key = ?", (second,))
    (tmp_path / "litter").touch()
    test.look(path, seen)
    test.compare(path, dict(seen))
    test.check_end(path)
    text = "\n".join(test.violations)
    assert "2 rows were lost or changed" in text
    assert "not as undisturbed" in text
    assert "does not hold the runs that were planned" in text
    assert "claims that do not hold" in text
    assert "next to the ledger" in text
