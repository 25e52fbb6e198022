"""Test that kills of a campaign's processes at random moments lose no runs.

    python -m benchmarks.robustness.kill_campaign --kills 300

The same campaign runs repeatedly. SIGKILL ends its driver, a worker or a solver; a killed driver is restarted. After
each kill, every row that a reader has seen must be unchanged. A killed driver must leave no process and no temporary
file. At the end, the ledger must contain exactly the planned runs, equal to those of an undisturbed campaign, and
`oas bench verify` must accept them. The exit code is 1 if any of this fails.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Any

from benchmarks.robustness.processes import KillTest, run_command
from oas.campaigns.declaration import load_campaign
from oas.campaigns.ledger import Ledger
from oas.campaigns.plan import plan
from oas.campaigns.record import reproducible_columns
from oas.campaigns.runner import ATTEMPTS
from oas.campaigns.status import verify_ledger
from oas.core.errors import OasError
from oas.core.result import ProofKind

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from oas.campaigns.record import Record

LAST = 4  # last seed of the instances of each kind
CAMPAIGN = """
name = "kills"
[limits]
time = 600
[[instances]]
generator = "uni"
seeds = "0-{last}"
parameters = {{ organizations = 2, jobs = 6, processors = 8 }}
[[instances]]
generator = "tiny"
seeds = "0-{last}"
[[methods]]
exact = "auto"
check = ["cbc"]
[[methods]]
exact = "cbc"
[[methods]]
heuristics = "all"
"""


class CampaignKillTest(KillTest):
    """Kill test of a campaign: its folder, its processes, and the rows seen in its ledger."""

    def __init__(self, folder: Path, seed: int, last: int = LAST) -> None:
        super().__init__(folder, seed)
        self.file = folder / "kills.toml"
        self.file.write_text(CAMPAIGN.format(last=last))
        self.rounds = self.seen = 0  # numbers of completed campaigns, and of rows that a reader saw in them
        self.reference = self._undisturbed()

    def run(self, kills: int) -> None:
        """Run the campaign repeatedly until `kills` kills are done and the last round is complete."""
        self.limit = kills
        while self.kills.total() < kills:
            self._run_to_its_end(self.folder / f"round-{self.rounds}" / "kills.ledger")

    def _undisturbed(self) -> dict[str, dict[str, Any]]:
        path = self.folder / "undisturbed.ledger"
        began = time.monotonic()
        driver = self._drive(path)
        if driver.wait() != 0:
            raise SystemExit(f"the undisturbed campaign failed with exit code {driver.returncode}")
        self.longest = time.monotonic() - began  # also the maximum time until the next kill
        with Ledger(path, write=True) as ledger:
            keys = {order.key for order in plan(load_campaign(self.file), ledger)}
            records = {record.key: _repeatable(record) for record in ledger.records()}
        self.expect(records.keys() == keys, "the undisturbed ledger is not what was planned")
        self.await_nothing("the undisturbed campaign")
        return records

    def _drive(self, path: Path) -> subprocess.Popen[bytes]:
        return self.start("bench", "run", str(self.file), "--ledger", str(path), "--workers", "2", "--quiet")

    def _run_to_its_end(self, path: Path) -> None:
        path.parent.mkdir()
        seen: dict[str, Record] = {}
        over = False
        while not over:
            # A run whose process dies is repeated, but only a limited number of times.
            over = self.interrupt(self._drive(path), self.longest, ATTEMPTS - 1, lambda: self.look(path, seen))
            self.compare(path, seen)
        self.rounds += 1
        self.seen += len(seen)
        self.check_end(path)
        runs = f"{self.rounds} campaigns of {len(self.reference)} runs brought to their end; {self.seen} rows compared"
        print(self.summary(runs), flush=True)

    def look(self, path: Path, seen: dict[str, Record]) -> None:
        """Read the committed rows; earlier rows must still exist, unchanged."""
        if not path.exists() or not path.stat().st_size:
            return
        try:
            with Ledger(path) as ledger:
                now = {record.key: record for record in ledger.records(with_results=True)}
        except OasError as error:
            # Before its first commit a ledger is an empty database.
            self.expect(not seen and "no ledger" in str(error), f"a reader failed: {error}")
            return
        lost = [key for key, record in seen.items() if now.get(key) != record]
        self.expect(not lost, f"{len(lost)} rows were lost or changed")
        seen |= now

    def compare(self, path: Path, seen: dict[str, Record]) -> None:
        """Compare the rows with those of the undisturbed campaign."""
        self.look(path, seen)
        for key, record in seen.items():
            same = _repeatable(record) == self.reference.get(key)
            self.expect(same, f"{record.instance}, {record.method}: not as undisturbed: {record}")

    def check_end(self, path: Path) -> None:
        """Check a ledger at the end: the planned runs, claims that hold, no other file."""
        with Ledger(path) as ledger:
            keys = [record.key for record in ledger.records()]
            self.expect(sorted(keys) == sorted(self.reference), "the ledger does not hold the runs that were planned")
            faults = [one.fault for one in verify_ledger(ledger) if one.fault]
        self.expect(not faults, f"claims that do not hold: {faults[:3]}")
        self.expect(os.listdir(path.parent) == [path.name], f"next to the ledger: {os.listdir(path.parent)}")


def _repeatable(record: Record) -> dict[str, Any]:
    """Return the values that are equal in every run.

    After a complete enumeration the search looks for a certificate for one second, so the kind of proof may depend on
    the speed of the machine.
    """
    columns = reproducible_columns(record)
    if columns["proof"] == ProofKind.BRUTE_FORCE.value:
        columns |= {"proof": ProofKind.CERTIFICATE.value, "certified_bound": columns["lower_bound"]}
    return columns


if __name__ == "__main__":
    sys.exit(run_command(__doc__, CampaignKillTest))
