"""A campaign under test, in a smoke size; the long check is `python -m benchmarks.robustness.kill_campaign`."""

import pytest

from benchmarks.robustness.kill_campaign import CampaignKillTest
from oas.campaigns.ledger import Ledger


@pytest.mark.slow
def test_a_few_kills(tmp_path):
    test = CampaignKillTest(tmp_path, seed=1, last=0)
    test.run(3)
    assert test.violations == []
    assert test.kills.total() == 3 and test.kills["driver"] and test.rounds
    assert len(test.reference) > 25


@pytest.mark.slow
def test_it_sees_what_it_looks_for(tmp_path):
    test = CampaignKillTest(tmp_path, seed=1, last=0)
    path = tmp_path / "undisturbed.ledger"
    seen = {}
    test.look(path, seen)
    assert len(seen) == len(test.reference) and test.violations == []
    with Ledger(path, write=True) as ledger:
        first, second, *_ = sorted(seen)
        ledger._connection.execute("DELETE FROM runs WHERE key = ?", (first,))
        ledger._connection.execute("UPDATE runs SET objective = '1' WHERE key = ?", (second,))
    (test.scratch / "litter").touch()
    test.look(path, seen)
    test.compare(path, dict(seen))
    test.check_end(path)
    text = "\n".join(test.violations)
    assert "2 rows were lost or changed" in text
    assert "not as undisturbed" in text
    assert "does not hold the runs that were planned" in text
    assert "claims that do not hold" in text
