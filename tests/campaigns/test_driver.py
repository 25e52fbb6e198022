"""Progress of a campaign: how much time it says is left."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from oas.campaigns.driver import Progress, drive
from oas.campaigns.engines import Engine
from oas.campaigns.execute import blank
from oas.campaigns.ledger import Ledger
from oas.campaigns.plan import plan
from oas.cli.commands.bench import describe
from oas.core.result import Termination
from tests.campaigns.runs import a_record, campaign_of

CAMPAIGN = """
name = "few"
[limits]
time = 60
[[instances]]
generator = "tiny"
seeds = "0-5"
[[methods]]
heuristics = ["FCFS"]
[[methods]]
exact = "highs"
"""
SECONDS = {"FCFS": 1.0, "highs": 10.0}  # of each run of a method
SLOTS = 4


def made(batch):
    """The records of runs that took those seconds."""
    return [replace(blank(one, Termination.FINISHED), seconds=SECONDS[one.method.label]) for one in batch.orders]


@pytest.fixture
def seen(tmp_path):
    """Every progress that is reported while the campaign is driven."""
    reports = []
    with Ledger(tmp_path / "few.ledger", write=True) as ledger, ThreadPoolExecutor(1) as executor:
        orders = plan(campaign_of(tmp_path, CAMPAIGN), ledger)
        drive(orders, ledger, Engine("measured", lambda: SLOTS, executor, made), reports.append)
    assert (len(reports), reports[-1].done) == (len(orders) + 1, len(orders))
    return reports


def test_a_time_is_said_only_when_every_method_that_is_left_was_measured(seen):
    left = Counter({name: 6 for name in SECONDS})
    for one in seen:
        if one.last is not None:
            left[one.last.method] -= 1
        open_methods = [name for name, count in left.items() if count]
        if any(left[name] == 6 for name in open_methods):
            assert one.left is None
        else:
            work = sum(left[name] * SECONDS[name] for name in open_methods) / SLOTS
            longest = max([SECONDS[name] for name in open_methods], default=0)
            assert one.left == max(work, longest)


def test_fewer_runs_than_workers_still_take_as_long_as_one(seen):
    before_the_last = seen[-2]
    assert before_the_last.left == SECONDS[seen[-1].last.method]


def test_an_estimate_that_was_too_short_is_said_to_be():
    last = a_record(instance="grid")
    assert describe(Progress(12, 28, 5.0, None, last), 9.0) == "      9 s  12 of 28 runs  FCFS on grid: feasible"
    estimated = Progress(12, 28, 5.0, 130.0, last)
    assert describe(estimated, 9.0).startswith("      9 s  12 of 28 runs  about 0:02:06 left  FCFS on grid")
    assert describe(estimated, 200.0).startswith("    200 s  12 of 28 runs  longer than estimated  FCFS on grid")
    assert describe(Progress(28, 28, 5.0, 0.0, last), 9.0) == "      9 s  28 of 28 runs  FCFS on grid: feasible"
