"""Campaigns for the tests, driven from beginning to end."""

from oas.campaigns.declaration import load_campaign
from oas.campaigns.driver import drive
from oas.campaigns.ledger import Ledger
from oas.campaigns.plan import plan
from oas.campaigns.record import Record, reproducible_columns

SMALL = """
name = "small"
[limits]
time = 120
[[instances]]
generator = "uni"
parameters = { organizations = 2, jobs = 5, processors = 4 }
[[instances]]
generator = "tiny"
[[methods]]
exact = "highs"
[[methods]]
heuristics = "all"
"""
ONE_INSTANCE = """
name = "own"
[limits]
{limits}
[[instances]]
generator = "tiny"
"""
OWN = """
[[methods]]
function = "{function}"
"""


def a_record(key="k", **columns):
    """A record as a heuristic leaves it."""
    given = {
        "digest": "d",
        "instance": "i",
        "method": "FCFS",
        "kind": "heuristic",
        "parameters": "{}",
        "limits": "{}",
        "seed": 0,
        "repetition": 0,
        "source": "s",
        "package": "1",
        "status": "feasible",
        "termination": "finished",
    }
    return Record(key=key, **(given | columns))


def campaign_of(folder, text, name="campaign.toml"):
    """A campaign as its file says."""
    path = folder / name
    path.write_text(text)
    return load_campaign(path)


def own_functions(folder, *functions, limits="time = 60"):
    """A campaign of functions in modules of the user's own, on one instance."""
    return campaign_of(folder, ONE_INSTANCE.format(limits=limits) + "".join(OWN.format(function=f) for f in functions))


def driven(campaign, path, engine, on_progress=None):
    """Drive a campaign on an engine; return its records in the order of the keys."""
    with Ledger(path, write=True) as ledger, engine as ready:
        orders = plan(campaign, ledger)
        drive(orders, ledger, ready, on_progress)
        assert ledger.keys() >= {order.key for order in orders}
        return list(ledger.records({order.key for order in orders}))


def facts(records):
    """Return the columns that are equal in two ledgers of the same campaign."""
    return [reproducible_columns(record) for record in records]
