"""The stand-alone checker as one file: all modules of this folder in the order of their imports."""

from __future__ import annotations

import ast
import hashlib
from pathlib import Path

FOLDER = Path(__file__).parent
PACKAGE = "oas.checker."
NOT_BUNDLED = ("__init__", "bundle")
FIRST = "main"

HEADING = '''#!/usr/bin/env python3
"""Check a schedule, or all that a result claims, of the oas-scheduling toolkit, with Python's standard library alone.

    python check_certificate.py instance.json result.json

Written by `oas checker` of oas-scheduling {version}: the modules of oas/checker, one after the other, each without
its imports of the others. SHA-256 of their texts: {digest}
"""

from __future__ import annotations

{imports}
'''
ENDING = """

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""


class Part:
    """One module: its name, those that it imports from, its imports of the standard library, and its own text."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.source = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
        tree = ast.parse(self.source)
        lines = self.source.splitlines()
        self.uses: list[str] = []
        self.imports: list[ast.Import | ast.ImportFrom] = []
        self.names: list[str] = []
        for place, node in enumerate(tree.body):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
                self.uses.append(str(node.module).removeprefix(PACKAGE))
            elif isinstance(node, ast.Import | ast.ImportFrom):
                self.imports.append(node)
            else:
                self.names += _names_of(node)
                if not (place == 0 and isinstance(node, ast.Expr)):
                    continue
            first, last = node.lineno - 1, node.end_lineno or node.lineno
            lines[first:last] = [""] * (last - first)
        docstring = (ast.get_docstring(tree) or "").splitlines()
        comment = "\n".join(f"# {line}".rstrip() for line in docstring)
        self.text = f"# {name}\n#\n{comment}\n\n\n" + "\n".join(lines).strip("\n")


def parts() -> list[Part]:
    """Return the modules, each after those that it imports from."""
    known: dict[str, Part] = {}

    def add(name: str) -> None:
        if name not in known:
            part = Part(name)
            for used in part.uses:
                add(used)
            known[name] = part

    add(FIRST)
    return list(known.values())


def bundle(version: str) -> str:
    """Return the text of the one file; `version` is that of this package."""
    own = parts()
    digest = hashlib.sha256("".join(part.source for part in own).encode()).hexdigest()
    heading = HEADING.format(
        version=version, digest=digest, imports=_merged([one for part in own for one in part.imports])
    )
    return heading + "".join(f"\n\n{part.text}\n" for part in own) + ENDING


def _merged(imports: list[ast.Import | ast.ImportFrom]) -> str:
    """Return the imports of the standard library, each once."""
    plain: set[str] = set()
    named: dict[str, set[str]] = {}
    for node in imports:
        own = {f"{one.name} as {one.asname}" if one.asname else one.name for one in node.names}
        if isinstance(node, ast.Import):
            plain |= own
        elif node.module != "__future__":
            named.setdefault(str(node.module), set()).update(own)
    lines = [f"import {name}" for name in sorted(plain)]
    return "\n".join(lines + [f"from {module} import {', '.join(sorted(named[module]))}" for module in sorted(named)])


def _names_of(node: ast.stmt) -> list[str]:
    """Return the names that a statement at the top of a module binds."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]
