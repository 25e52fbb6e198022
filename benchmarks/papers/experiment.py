"""Experiments of the papers: the instances of a campaign with their runs, and statements with the values found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from oas.campaigns.plan import plan
from oas.io.reading import loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oas.campaigns.declaration import Campaign
    from oas.campaigns.ledger import Ledger
    from oas.campaigns.record import Record


@dataclass(frozen=True)
class Statement:
    """One checkable statement.

    Attributes
    ----------
    place
        Section of the paper.
    says
        The quantity or property.
    printed, found
        The numbers, or what was seen, in the same words.
    agrees
        Whether the two agree: for numbers, within the tolerance given by whoever made the statement.
    remark
        Why they differ, as far as known.
    """

    place: str
    says: str
    printed: str
    found: str
    agrees: bool
    remark: str = ""


def near(found: float, printed: float, tolerance: float = 0.05) -> bool:
    """Whether `found` is within this share of `printed`."""
    return abs(found - printed) <= tolerance * abs(printed)


def table(statements: Iterable[Statement]) -> str:
    """Return the statements as a Markdown table."""
    lines = ["| section | what | printed | found | | remark |", "|---|---|---|---|---|---|"]
    for one in statements:
        verdict = "agrees" if one.agrees else "differs"
        lines.append(f"| {one.place} | {one.says} | {one.printed} | {one.found} | {verdict} | {one.remark} |")
    return "\n".join(lines)


def drawn_instances(
    campaign: Campaign, ledger: Ledger, with_results: bool
) -> Iterator[tuple[dict[str, Any], Any, list[Record]]]:
    """Yield parameters, instance and records of each source that has runs, in the order of the campaign.

    Two sources that give the same instance share its runs; each is yielded with its own parameters.
    """
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
