"""``python -m oas``: the command `oas`."""

import sys

from oas.core.errors import InputError
from oas.core.user_code import check_not_hidden

try:
    check_not_hidden()  # the current folder comes first on the import path
except InputError as error:
    sys.stderr.write(f"oas: {error}\n")
    sys.exit(2)

from oas.cli.main import main

main()
