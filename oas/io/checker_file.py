"""The stand-alone checker as one file: all modules of `oas.checker` in the order of their imports."""

from __future__ import annotations

import ast
import hashlib
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "checker"
PACKAGE = "oas.checker."

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
    """One module: its name, the modules that it uses, its imports of the standard library by name, and its text."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.source = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
        tree = ast.parse(self.source)
        self.uses: list[str] = []
        self.imports: list[str] = []
        lines = self.source.splitlines()
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
                self.uses.append(str(node.module).removeprefix(PACKAGE))
            elif isinstance(node, ast.Import | ast.ImportFrom):
                start = f"from {node.module} import" if isinstance(node, ast.ImportFrom) else "import"
                self.imports += [f"{start} {ast.unparse(name)}" for name in node.names]
            elif node is not tree.body[0]:  # the docstring, which becomes a comment
                continue
            for line in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[line] = ""
        comment = "\n".join(f"# {line}".rstrip() for line in (ast.get_docstring(tree) or "").splitlines())
        self.text = f"# {name}\n#\n{comment}\n\n\n" + "\n".join(lines).strip("\n")


def parts() -> list[Part]:
    """Return the modules, each after the modules that it imports."""
    known: dict[str, Part] = {}

    def add(name: str) -> None:
        if name not in known:
            part = Part(name)
            for used in part.uses:
                add(used)
            known[name] = part

    add("main")
    return list(known.values())


def bundle(version: str) -> str:
    """Return the text of the file; `version` is that of this package."""
    modules = parts()
    digest = hashlib.sha256("".join(part.source for part in modules).encode()).hexdigest()
    imports = {line for part in modules for line in part.imports} - {"from __future__ import annotations"}
    heading = HEADING.format(version=version, digest=digest, imports="\n".join(sorted(imports)))
    return heading + "".join(f"\n\n{part.text}\n" for part in modules) + ENDING
