"""What every test stands on."""

import signal

# A shell's background job ignores Ctrl-C, one under nohup the end of its terminal, and so does all that they start: no
# test of such a signal could work.
for number, default in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, default)


def pytest_terminal_summary(terminalreporter):
    """Say loudly that the page was not looked at."""
    skipped = {str(report.longrepr[-1]) for report in terminalreporter.stats.get("skipped", [])}
    for reason in sorted(reason for reason in skipped if "browser tests skipped" in reason):
        terminalreporter.write_sep("!", reason.removeprefix("Skipped: "), red=True, bold=True)
