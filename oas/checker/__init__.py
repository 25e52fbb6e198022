"""Independent checker of instances, schedules, results and certificates, using only Python's standard library.

It shares no code with the rest of the package; both follow the file formats that the modules here describe.
`oas verify` confirms lower bounds with it; ``oas checker`` writes it as one file that needs no installation.

Modules here import only the standard library and each other, the latter in the form
``from oas.checker.MODULE import NAME``. `oas.io.checker_file` combines them into one file, so that every top-level name
must be unique.

Functions that read a part of a file raise `Refused`, naming field and value, if it is malformed, too large, or proves
nothing. Functions with an `Effort` raise `TooCostly` if it is used up. Docstrings do not repeat this.
"""
