"""The page of `oas fair --page`."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from oas.campaigns.report.page import PageSection, PageTable, still_page
from oas.cli.tables.fair_tables import notes
from oas.show.fairness import (
    ACCOUNT_HEADINGS,
    POLICY_HEADINGS,
    account_cells,
    gainers,
    headline,
    in_order,
    in_time,
    ledger_picture,
    policy_cells,
    size_of,
    unit_of,
    value_of,
)

if TYPE_CHECKING:
    from oas.studies.fair.fairness import Fairness

_WORDS = """\
ψ: what an organization gets, the utility of its jobs: each unit of work that is over counts for as long as it has been
over. φ: what it contributes, its Shapley value: by how much its processors and jobs change what all coalitions get."""


def fair_page(fairness: Fairness) -> str:
    """Return the tables and, with REF, the ledger as one HTML page that loads nothing."""
    return still_page(
        "Fairness by contribution",
        fairness.case.title or "Fair sharing",
        f"{size_of(fairness)}. {_WORDS}".replace("\n", " "),
        _tiles(fairness),
        [_policies(fairness), _accounts(fairness), *_ledger(fairness)],
    )


def _tiles(fairness: Fairness) -> list[tuple[str, str]]:
    rows = [row for row in in_order(fairness) if row.sound and row.policy != fairness.base]
    found = [
        (f"{len(fairness.accounts):,}", "organizations"),
        (f"{sum(fairness.case.released):,}", "jobs"),
        (in_time(fairness, Fraction(fairness.case.ticks.horizon)), f"horizon, in {unit_of(fairness)}"),
    ]
    ends = [("fairest", rows[0]), ("least fair", rows[-1])] if fairness.reference is not None and rows else []
    for what, row in ends:
        distance = row.unfairness
        shown = in_time(fairness, value_of(distance))
        found.append((row.policy, f"the {what} here: {shown} for each unit of work from REF"))
    return found


def _policies(fairness: Fairness) -> PageSection:
    wrong = [place for place, row in enumerate(in_order(fairness)) if not row.sound]
    shown = len(POLICY_HEADINGS) - (not fairness.violated)  # the last column says what went wrong
    cells = [one[:shown] for one in policy_cells(fairness)]
    return PageSection(
        "policies",
        "Policies",
        notes=[] if fairness.reference is not None else [headline(fairness)],
        table=PageTable(POLICY_HEADINGS[:shown], cells, words=(0, len(POLICY_HEADINGS) - 1), alarms=wrong),
        remarks=notes(fairness),
    )


def _accounts(fairness: Fairness) -> PageSection:
    headings = (*ACCOUNT_HEADINGS, *(row.policy for row in gainers(fairness)))
    return PageSection("organizations", "Organizations", table=PageTable(headings, list(account_cells(fairness))))


def _ledger(fairness: Fairness) -> list[PageSection]:
    if fairness.reference is None:
        return []
    figures = [("φ − ψ of each organization over time", ledger_picture(fairness, heading=False))]
    return [PageSection("ledger", "What each organization is owed, over time", figures=figures)]
