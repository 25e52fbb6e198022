"""``python -m oas`` is the command `oas`."""

from oas.cli.main import main

main()
