"""The stand-alone checker: certificates and results re-checked with Python's standard library and nothing else.

A second implementation of what `oas verify` does, written from the formats in ``docs/api/certificates.rst``. It shares
no code with the rest of the package: a module here imports the standard library and other modules of this folder, those
by ``from oas.checker.MODULE import NAME`` alone. `oas.checker.bundle` writes all of them into one file, for which
every top-level name occurs in one module only.
"""
