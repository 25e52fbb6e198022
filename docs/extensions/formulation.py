"""``.. autoformulation:: module``: the constraint families of a formulation, as its builder's docstrings state them.

The order is that of ``build()``, which lists them all.
"""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from typing import TYPE_CHECKING

from docutils.statemachine import StringList
from sphinx.ext.napoleon import NumpyDocstring
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx


class AutoFormulation(SphinxDirective):
    """A definition list: the name of each family, and its docstring."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the list."""
        module = import_module(self.arguments[0])
        builder = module._Builder
        self.env.note_dependency(inspect.getfile(module))
        lines: list[str] = []
        for name in re.findall(r"self\.(\w+)\(\)$", inspect.getsource(builder.build), re.MULTILINE):
            text = str(NumpyDocstring(inspect.getdoc(getattr(builder, name)) or "", self.config))
            lines += [f"``{name}``", *(f"   {line}".rstrip() for line in text.splitlines()), ""]
        if not lines:
            raise self.error(f"{module.__name__} lists no constraint family")
        return self.parse_text_to_nodes(StringList(lines, source=module.__name__))


def setup(app: Sphinx) -> dict[str, object]:
    """Register the directive."""
    app.add_directive("autoformulation", AutoFormulation)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
