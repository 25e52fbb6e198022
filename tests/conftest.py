"""Fixtures and settings of all tests."""

import os
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from oas.core.processors import processors
from oas.core.signals import ENDING
from oas.solvers.isolation.launch import die_with
from tests import slow
from tests.commands import Shown

# A shell's background job ignores Ctrl-C, one under nohup the end of its terminal, and so does all that they start: no
# test of such a signal could work.
for number, default in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, default)

# The same examples in every run, on machines however slow.
settings.register_profile(
    "all",
    derandomize=True,
    deadline=None,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=60,
)
settings.register_profile("quick", settings.get_profile("all"), max_examples=25)


def pytest_configure(config):
    """Leave most draws, like all slow tests, to the long run; end with the process that began this.

    With the environment variable OAS_DRAWS=all, as in mutation runs, tests that are not slow draw all instances too.

    A worker of pytest-xdist is killed with its controller. What it has started ends with it.
    """
    if hasattr(config, "workerinput"):
        die_with(os.getppid())
    slow.quick = "not slow" in config.getoption("markexpr") and os.environ.get("OAS_DRAWS") != "all"
    settings.load_profile("quick" if slow.quick else "all")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers():
    """One worker more than processors: many tests wait, for time limits, solvers and processes that are killed."""
    if os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS"):
        return None  # xdist goes by it
    return processors() + 1


LONGEST = (
    "tests/docs/test_site.py",
    "tests/notebooks/test_notebooks.py",
    "tests/campaigns/test_kill.py",
    "tests/test_tutorial.py",
    "tests/docs/test_pages.py",
)


def pytest_collection_modifyitems(config, items):
    """Let each worker begin with its part of the long tests, so that none is left alone with one at the end.

    With ``--dist worksteal`` the workers begin with equal parts of the list, one after the other. The long tests of a
    file stay together, because they share fixtures.
    """
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    long, short = {}, []
    for item in items:
        file = item.location[0]
        if file in LONGEST or item.get_closest_marker("slow"):
            long.setdefault(file, []).append(item)
        else:
            short.append(item)
    files = [*(file for file in LONGEST if file in long), *(file for file in long if file not in LONGEST)]
    left = len(items)
    items.clear()
    for worker in range(workers):
        part = [item for file in files[worker::workers] for item in long[file]]
        more = max(0, left // (workers - worker) - len(part))
        items += part + short[:more]
        del short[:more]
        left -= len(part) + more


def pytest_terminal_summary(terminalreporter):
    """Say loudly that the page was not looked at."""
    skipped = {str(report.longrepr[-1]) for report in terminalreporter.stats.get("skipped", [])}
    for reason in sorted(reason for reason in skipped if "browser tests skipped" in reason):
        terminalreporter.write_sep("!", reason.removeprefix("Skipped: "), red=True, bold=True)


@pytest.fixture
def folder(tmp_path, request):
    """A folder to run commands in: `tmp` for temporary files, and the files that the module's `fill` puts there."""
    (tmp_path / "tmp").mkdir()
    getattr(request.module, "fill", lambda _: None)(tmp_path)
    return tmp_path


@pytest.fixture
def in_this_process(tmp_path, monkeypatch, capfd):
    """The command line run by this process: starting one for each command would take most of the time."""
    from oas.cli.main import run as main
    from oas.core.user_code import announce

    monkeypatch.setattr(sys, "path", list(sys.path))
    modules = set(sys.modules)
    before = {number: signal.getsignal(number) for number in ENDING}

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["oas", *arguments])
        announce.cache_clear()  # as in a process of its own
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        return Shown(int(str(ended.value.code)), *capfd.readouterr())

    yield run
    for number, handler in before.items():
        signal.signal(number, handler)
    for name in set(sys.modules) - modules:  # another test's module of this name is another module
        if Path(getattr(sys.modules[name], "__file__", None) or "/").is_relative_to(tmp_path):
            del sys.modules[name]


@pytest.fixture
def run_here(folder, monkeypatch, in_this_process):
    """The command line run by this process in `folder`, on a page of 160 columns."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "160")
    return in_this_process
