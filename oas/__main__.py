"""``python -m oas`` is the command `oas`."""

import sys

from oas.core.errors import InputError
from oas.core.user_code import check_not_hidden

try:
    check_not_hidden()  # the folder where the command is typed is on the import path, before the toolkit
except InputError as error:
    sys.stderr.write(f"oas: {error}\n")
    sys.exit(2)

from oas.cli.main import main

main()
