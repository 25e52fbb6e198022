"""``.. autoschema:: instance``: the objects of a file format and their keys, from its JSON schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective
from tables import table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sphinx.application import Sphinx

COLUMNS = {"key": 18, "value": 32, "meaning": 50}
EXACT = "exact number"
INSTANCES = {
    "CoallocationDocument": "Co-allocation instance",
    "FairDocument": "Instance of fair sharing",
    "MospDocument": "Instance of organizations (MOSP)",
}


class AutoSchema(SphinxDirective):
    """A section for each object, with a table of its keys; objects of formats shown before are not shown again."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        from oas.io import schema

        self.env.note_reread()  # the formats are in many files
        definitions = schema(self.arguments[0])["$defs"]
        shown = self.env.temp_data.setdefault("schemas", set())
        new = [name for name, one in definitions.items() if "properties" in one and name not in shown]
        shown.update(new)
        return [self._section(name, definitions) for name in new]

    def _section(self, name: str, definitions: Mapping[str, Any]) -> nodes.section:
        definition = definitions[name]
        section = nodes.section(ids=[_anchor(name)], names=[_anchor(name)])
        section += nodes.title(text=_title(name))
        section += self.parse_text_to_nodes(definition["description"])
        required = definition.get("required", ())
        rows = [
            (nodes.literal("", key), _value(one, definitions), self._meaning(one, definitions, needed=key in required))
            for key, one in definition["properties"].items()
        ]
        section += table(COLUMNS, rows, "keys")
        self.state.document.note_implicit_target(section)
        return section

    def _meaning(self, one: Mapping[str, Any], definitions: Mapping[str, Any], *, needed: bool) -> nodes.paragraph:
        said = _said(one, definitions)
        default = one.get("default")
        if not needed and "default" not in said:
            said += " Optional." if default in (None, "", [], {}) else f" Default {default}."
        return nodes.paragraph("", said.strip())


def _said(one: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """Return the description of a value, of its alternatives, or of its elements."""
    if "$ref" in one:
        target = definitions[one["$ref"].rpartition("/")[2]]
        return "" if "properties" in target else str(target.get("description", ""))
    if one.get("description"):
        return str(one["description"])
    if one.get("minItems"):
        return f"At least {one['minItems']}."
    inner = [*one.get("anyOf", ()), *(one[key] for key in ("items", "additionalProperties") if one.get(key))]
    return next((found for part in inner if (found := _said(part, definitions))), "")


def _value(one: Mapping[str, Any], definitions: Mapping[str, Any]) -> nodes.paragraph:
    return nodes.paragraph("", "", *_type(one, definitions))


def _type(one: Mapping[str, Any], definitions: Mapping[str, Any]) -> list[nodes.Node]:
    """Return the type of a value in words, with references to the sections of objects."""
    if "$ref" in one:
        name = one["$ref"].rpartition("/")[2]
        if "properties" not in definitions[name]:
            return _type(definitions[name], definitions)
        return [nodes.reference("", _title(name).lower(), internal=True, refid=_anchor(name))]
    if "anyOf" in one:
        if {part.get("type") for part in one["anyOf"]} == {"number", "string"}:
            return [nodes.Text(EXACT)]
        return _joined((_type(part, definitions) for part in one["anyOf"]), " or ")
    if "enum" in one:
        return _joined(([nodes.literal("", str(value))] for value in one["enum"]), " or ")
    if one.get("type") == "array":
        return [nodes.Text("list of: "), *_type(one["items"], definitions)]
    if one.get("type") == "object" and one.get("additionalProperties"):
        return [nodes.Text("by name: "), *_type(one["additionalProperties"], definitions)]
    return [nodes.Text({"string": "text", "number": "number"}.get(one["type"], one["type"]))]


def _joined(parts: Iterable[list[nodes.Node]], word: str) -> list[nodes.Node]:
    found: list[nodes.Node] = []
    for part in parts:
        found += [nodes.Text(word), *part] if found else part
    return found


def _title(name: str) -> str:
    """``NodeGroupDocument`` as ``Node group``."""
    if name in INSTANCES:
        return INSTANCES[name]
    words = "".join(f" {letter}" if letter.isupper() else letter for letter in name.removesuffix("Document"))
    return words.strip().capitalize()


def _anchor(name: str) -> str:
    return f"format-{nodes.make_id(_title(name))}"


def setup(app: Sphinx) -> dict[str, object]:
    """Register the directive."""
    app.add_directive("autoschema", AutoSchema)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
