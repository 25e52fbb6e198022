"""The checker: instances, schedules, results and certificates checked with Python's standard library alone.

It shares no code with the rest of the package: both sides meet in the formats that the modules here describe.
`oas verify` confirms lower bounds with it; ``oas checker`` writes it as one file that needs no installation.

A module here imports the standard library and other modules of this folder, those by
``from oas.checker.MODULE import NAME`` alone. `oas.io.checker_file` writes all of them into one file, for which every
top-level name occurs in one module only.

Whatever reads a part of a file raises `Refused`, naming field and value, if it is malformed, too large, or proves
nothing. Whatever takes an `Effort` raises `TooCostly` if that is used up. Docstrings do not repeat it.
"""
