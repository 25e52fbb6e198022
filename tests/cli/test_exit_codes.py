"""Exit codes, as the help of `oas` lists them."""

from __future__ import annotations

import re

from oas.cli.exit_codes import ExitCode
from oas.cli.main import EPILOG


def test_help_lists_every_one():
    listed = re.findall(r"^  (\d+)  +\S", EPILOG.partition("Exit codes:")[2], re.MULTILINE)
    assert [int(code) for code in listed] == list(ExitCode) == [0, 2, 3, 4, 130]
