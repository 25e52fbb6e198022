"""A real Chromium, without a network, that opens the page from its file.

It ends with its module: while playwright runs, no other test of the process can run an event loop.
"""

import os
import shutil
from importlib.util import find_spec

import pytest

from oas.campaigns.report.writing import write
from tests.campaigns.report.campaigns import hostile, make

NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def browser():
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip("browser tests skipped: no chromium")
    if find_spec("playwright") is None:
        pytest.skip("browser tests skipped: no playwright, which the extra 'test' installs")
    from playwright.sync_api import sync_playwright

    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium's sandbox refuses root
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=arguments)
        yield running
        running.close()


@pytest.fixture(scope="module")
def small(browser, tmp_path_factory):
    """The small campaign and its page."""
    folder = tmp_path_factory.mktemp("page")
    made = make(folder)
    with made.ledger(folder / "l.sqlite") as ledger:
        return made, write(made.campaign, made.orders, ledger, folder / "out")[0]


@pytest.fixture(scope="module")
def wicked(browser, tmp_path_factory):
    """The page of a campaign whose names try to break out."""
    folder = tmp_path_factory.mktemp("hostile")
    made = hostile(folder)
    with made.ledger(folder / "l.sqlite") as ledger:
        return made, write(made.campaign, made.orders, ledger, folder / "out")[0]


@pytest.fixture
def visit(browser):
    """``visit(path, **context)`` opens the page; in the end nothing may have been asked for and no error been said."""
    contexts, requests, complaints = [], [], []

    def opened(path, **options):
        context = browser.new_context(
            offline=True, viewport={"width": 1280, "height": 900}, reduced_motion="reduce", **options
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(120_000)  # for machines that are busy with other tests
        page.on("request", lambda request: requests.append(request.url))
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
        page.goto(path.as_uri())
        return page

    yield opened
    asked = [url for url in requests if not url.startswith("data:")]
    for context in contexts:
        context.close()
    assert len(asked) == len(contexts), asked
    assert all(url.startswith("file://") for url in asked)
    assert complaints == []
