"""Instances of a campaign with the parameters that they were drawn with, and the records of their runs.

Two sources that give the same instance share its runs; each is yielded with its own parameters.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.campaigns.plan import plan
from oas.io.reading import loads

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oas.campaigns.declaration import Campaign
    from oas.campaigns.ledger import Ledger
    from oas.campaigns.record import Record


def drawn_instances(
    campaign: Campaign, ledger: Ledger, with_results: bool
) -> Iterator[tuple[dict[str, Any], Any, list[Record]]]:
    """Yield parameters, instance and records of each source that has runs, in the order of the campaign."""
    keys = {order.key: place for place, order in enumerate(plan(campaign, ledger))}
    by_digest: dict[str, list[Record]] = {}
    for record in ledger.records(keys.keys(), with_results=with_results):
        by_digest.setdefault(record.digest, []).append(record)
    for source in campaign.sources:
        stored = ledger.instance_from(source.fingerprint())
        if stored is None or stored.digest not in by_digest:
            continue
        records = sorted(by_digest[stored.digest], key=lambda record: keys[record.key])
        # The name of the generator is the workload of section 7.
        parameters = {**source.parameters, "workload": source.name} if stored.problem == "mosp" else source.parameters
        yield dict(parameters), loads(ledger.document(stored.digest), stored.name), records
