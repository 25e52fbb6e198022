"""The campaigns in `benchmarks`: their instances, and each of them in smoke size from runs to report."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from benchmarks.papers.__main__ import FOLDER
from oas.campaigns.declaration import load_campaign
from oas.campaigns.driver import drive
from oas.campaigns.engines import pool_engine
from oas.campaigns.ledger import Ledger
from oas.campaigns.plan import plan, smoke
from oas.campaigns.report.writing import collect, summary_markdown
from tests.slow import mostly_slow

if TYPE_CHECKING:
    from pathlib import Path

    from oas.campaigns.declaration import Campaign
    from oas.campaigns.engines import Engine

NAMES = sorted({path.stem for path in FOLDER.glob("*.toml")} - {"library_edition"})
SHARED_SEEDS = {
    "ablation",
    "formulations",
    "growth",
    "mip-literal",
    "mip-models",
    "oas-slots",
    "oas-workloads",
    "proof-logs",
    "proof-logs-coallocation",
    "proof-reservations",
    "slot-sizes",
    "small-instances",
}
SECONDS = Fraction(1, 5)
QUICK = ("formulations", "proof-coallocation")


@pytest.fixture(scope="module")
def engine():
    with pool_engine(1) as found:
        yield found


def campaign_named(name: str) -> Campaign:
    return load_campaign(FOLDER / f"{name}.toml")


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("mosp")])
def test_cells_do_not_share_jobs(name: str) -> None:
    """Instances of one size have different seeds; the same instance with other promises is no other draw."""
    drawn = [(one.name, *sorted(one.parameters.items()), one.kind) for one in campaign_named(name).sources]
    seeds = {(parts[0], dict(parts[1:-1]).get("seed"), dict(parts[1:-1]).get("jobs")) for parts in drawn}
    if name not in SHARED_SEEDS:
        assert len(seeds) == len(set(drawn))


@pytest.mark.parametrize("name", mostly_slow(NAMES, quick=QUICK))
def test_in_smoke_size(name: str, tmp_path: Path, engine: Engine) -> None:
    """Two small samples of each campaign, every method for a fraction of a second."""
    whole = campaign_named(name)
    sources = sorted(whole.sources, key=lambda one: one.parameters.get("jobs", 0))
    small = smoke(replace(whole, sources=tuple(sources)), samples=2)
    methods = tuple(replace(one, limits=replace(one.limits, seconds=SECONDS)) for one in small.methods)
    small = replace(small, methods=methods)
    with Ledger(tmp_path / "smoke.ledger", write=True) as ledger:
        orders = plan(small, ledger)
        drive(orders, ledger, engine)
        runs = collect(orders, ledger)
        text = summary_markdown(small, runs)
    assert not runs.missing and not runs.contradictions
    assert {run.order.method.label for run in runs.runs} <= {method.label for method in whole.methods}
    assert all(run.outcome in ("finished", "time_limit", "no schedule") for run in runs.runs)
    assert f"# {name}-smoke".replace("-", "\\-") in text or f"# {name}-smoke" in text
