"""A campaign under fire, in a smoke size; the long check is `python -m benchmarks.robustness.kill_campaign`."""

from __future__ import annotations

import pytest

from benchmarks.robustness.kill_campaign import Fire
from oas.campaigns.ledger import Ledger


@pytest.mark.slow
def test_a_few_kills(tmp_path):
    fire = Fire(tmp_path, seed=1, last=0)
    fire.burn(3)
    assert fire.violations == []
    assert fire.kills.total() == 3 and fire.kills["driver"] and fire.rounds
    assert len(fire.reference) > 25


@pytest.mark.slow
def test_it_sees_what_it_looks_for(tmp_path):
    fire = Fire(tmp_path, seed=1, last=0)
    path = tmp_path / "undisturbed.ledger"
    seen = {}
    fire._look(path, seen)
    assert len(seen) == len(fire.reference) and fire.violations == []
    with Ledger(path, write=True) as ledger:
        first, second, *_ = sorted(seen)
        ledger._connection.execute("DELETE FROM runs WHERE key = ?", (first,))
        ledger._connection.execute("UPDATE runs SET objective = '1' WHERE key = ?", (second,))
    (fire.scratch / "litter").touch()
    fire._look(path, seen)
    fire._compare(path, dict(seen))
    fire._check_end(path)
    text = "\n".join(fire.violations)
    assert "2 rows were lost or changed" in text
    assert "not as undisturbed" in text
    assert "does not hold the runs that were planned" in text
    assert "claims that do not hold" in text
