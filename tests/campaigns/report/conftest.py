import pytest

from tests.campaigns.report.campaigns import make


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    return make(tmp_path_factory.mktemp("campaign"))


@pytest.fixture
def runs_of(made, tmp_path):
    """`collect` on a new ledger: ``runs_of(records, orders)``."""
    from oas.campaigns.report.writing import collect

    count = 0

    def collected(records=None, orders=None):
        nonlocal count
        count += 1
        with made.ledger(tmp_path / f"{count}.sqlite", records) as ledger:
            return collect(made.orders if orders is None else orders, ledger)

    return collected
