"""A small real campaign of both problems, run in this process, to report on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from oas.campaigns.declaration import Campaign, load_campaign
from oas.campaigns.ledger import Ledger
from oas.campaigns.plan import plan
from oas.campaigns.runs import execute
from oas.core.rigid import Organization, Reservation, RigidJob
from oas.io import save
from oas.io.reading import loads
from oas.mosp.instance import MospInstance

if TYPE_CHECKING:
    from oas.campaigns.plan import Order
    from oas.campaigns.record import Record

DECLARATION = """
name = "small"
description = "Both problems; <b>every</b> heuristic & HiGHS."
[limits]
time = 60
[[instances]]
generator = "uni"
seeds = "5-6"
parameters = { organizations = 2, jobs = 6, processors = 8 }
locality = [1, "none"]
[[instances]]
generator = "tiny"
seeds = "0-1"
[[methods]]
exact = "highs"
[[methods]]
heuristics = ["LPT", "FCFS", "ILBA", "MOLBA-high"]
"""


@dataclass(frozen=True)
class Made:
    """A declared campaign, what it asks for, and its records."""

    campaign: Campaign
    orders: tuple[Order, ...]
    records: tuple[Record, ...]
    documents: tuple[tuple[str, str, str, bytes], ...]

    def ledger(self, path, records=None):
        """A new ledger with the instances and `records` (all by default); close it."""
        ledger = Ledger(path, write=True)
        for digest, name, problem, document in self.documents:
            ledger.add_instance(digest, digest, name, problem, document)
        ledger.add(self.records if records is None else records)
        return ledger

    def record(self, method, problem):
        """The first record of `method` on an instance whose name begins so."""
        return next(one for one in self.records if one.method == method and one.instance.startswith(problem))

    def changed(self, old, **changes):
        """All records, one of them changed."""
        return [replace(one, **changes) if one is old else one for one in self.records]


def make(folder, declaration=DECLARATION):
    """Run the campaign; heuristics and solves are the real ones."""
    file = folder / "small.toml"
    file.write_text(declaration)
    campaign = load_campaign(file)
    with Ledger(folder / "made.sqlite", write=True) as ledger:
        orders = plan(campaign, ledger)
        documents = {order.digest: (order.digest, order.instance, ledger.document(order.digest)) for order in orders}
    instances = {digest: loads(document) for digest, _, document in documents.values()}
    records = [execute(order, instances[order.digest]) for order in orders]
    stored = [
        (digest, name, "mosp" if hasattr(instances[digest], "organizations") else "coallocation", document)
        for digest, name, document in documents.values()
    ]
    return Made(campaign, tuple(orders), tuple(records), tuple(stored))


def without(orders, digest):
    """The orders of all other instances."""
    return [order for order in orders if order.digest != digest]


HOSTILE = "</script ></script><img src=x onerror=alert(1)><b>&amp;'\"`${1}"


def hostile(folder):
    """A campaign on one instance whose every name tries to break out of the page."""
    jobs = [RigidJob(HOSTILE, 3, 2), RigidJob("<svg onload=alert(2)>", "37/30", 1), RigidJob("J3", 2, 1)]
    organizations = [Organization("<i>O1", 2, jobs[:2], [Reservation(1, 4, 1)]), Organization("</style>", 2, jobs[2:])]
    save(MospInstance(organizations, name=HOSTILE), folder / "hostile.json")
    return make(
        folder,
        """
name = "hostile"
[[instances]]
files = ["hostile.json"]
[[methods]]
exact = "highs"
label = "</script><i>highs"
[[methods]]
heuristics = ["LPT", "ILBA"]
""",
    )
