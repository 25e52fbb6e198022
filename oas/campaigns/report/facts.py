"""Facts about a campaign's runs: machines, versions, dates."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from oas.campaigns.report.page_parts import groups
from oas.core.formats import show_count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oas.campaigns.declaration import Campaign
    from oas.campaigns.report.frame import Runs

_GIB = 1 << 30


def facts(campaign: Campaign, runs: Runs) -> list[tuple[str, list[str]]]:
    """Return the facts about a campaign: names with their values, most frequent first."""
    records = [run.record for run in runs.runs]
    asked = show_count(len(records) + sum(runs.missing.values()), "run")
    found = [
        ("asked for", [f"{asked} on {show_count(len(runs.instances), 'instance')}"]),
        ("made", [show_count(len(records), "run")]),
        ("missing", _counts(runs.missing)),
        ("stale", _counts(runs.stale)),
        ("other rows of the ledger", [f"{runs.others:,}"] if runs.others else []),
        ("repetitions", [str(campaign.repetitions)]),
        ("runs by problem", _counts(Counter(groups()[run.group].title for run in runs.runs))),
        ("package", _often(f"oas-scheduling {one.package}" for one in records)),
        ("commit", _often(one.checkout or "not from a checkout" for one in records)),
        ("software", _often(name for one in records for name in _software(one.versions))),
        ("solver threads", _often(str(one.threads) for one in records if one.kind == "exact")),
        ("machine", _often(_machine(one.host) for one in records)),
    ]
    if records:
        found += [
            ("recorded", [f"{min(one.recorded for one in records)} to {max(one.recorded for one in records)}"]),
            ("wall time of all runs", [f"{sum(one.seconds for one in records):,.1f} s"]),
            ("most memory of a run", [f"{max(one.peak_memory or 0 for one in records) / _GIB:.2f} GiB"]),
        ]
    return [(name, values) for name, values in found if values]


def _counts(counts: Mapping[str, int]) -> list[str]:
    return [f"{name}: {count:,}" for name, count in counts.items()]


def _often(values: Iterable[str]) -> list[str]:
    """Return each value, most frequent first, with its count if there are several."""
    counts = Counter(value for value in values if value)
    if len(counts) == 1:
        return list(counts)
    return [f"{value} ({show_count(count, 'run')})" for value, count in counts.most_common()]


def _software(versions: str) -> list[str]:
    return [f"{name} {version}" for name, version in json.loads(versions).items() if name != "oas-scheduling"]


def _machine(host: str) -> str:
    found = json.loads(host)
    if not found:
        return ""
    memory = f"{found['memory'] / _GIB:.0f} GiB" if found.get("memory") else "memory unknown"
    return f"{found.get('node', '?')}: {found.get('system', '?')}, {found.get('cores', '?')} cores, {memory}"
