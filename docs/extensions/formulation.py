"""``.. autoformulation:: module:function``: the constraint families of a formulation, as docstrings state them.

The function that builds the model is ``build`` by default. It calls the families in the order of the list.
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
        place, _, name = self.arguments[0].partition(":")
        module = import_module(place)
        source = inspect.getsource(getattr(module, name or "build"))
        used = re.search(r"(\w*Builder)\(", source)
        if used is None:
            raise self.error(f"{self.arguments[0]} calls no builder")
        builder = getattr(module, used[1])
        self.env.note_dependency(inspect.getfile(module))
        lines: list[str] = []
        for family in re.findall(r"builder\.(\w+)\(\)$", source, re.MULTILINE):
            text = str(NumpyDocstring(inspect.getdoc(getattr(builder, family)) or "", self.config))
            lines += [f"``{family}``", *(f"   {line}".rstrip() for line in text.splitlines()), ""]
        if not lines:
            raise self.error(f"{module.__name__} lists no constraint family")
        return self.parse_text_to_nodes(StringList(lines, source=module.__name__))


def setup(app: Sphinx) -> dict[str, object]:
    """Register the directive."""
    app.add_directive("autoformulation", AutoFormulation)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
