"""``python -m oas``: the command `oas`."""

from oas.cli.start import main

main(check_folder=True)
