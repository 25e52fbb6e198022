"""``.. autocommands::``: a section for each command of `oas`, from the application itself: what ``--help`` shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sphinx.application import Sphinx

UNINTERESTING = {"--help", "--install-completion", "--show-completion"}


class AutoCommands(SphinxDirective):
    """One section for each command; a group of commands has its own in sections beneath."""

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        import typer

        from oas.cli.main import app

        root = typer.main.get_command(app)
        self.env.note_reread()  # the commands are in many files
        with _context(root, "oas", None) as context:
            return [self._section(child, name, context) for name, child in _children(root, context)]

    def _section(self, command: Any, name: str, parent: Any) -> nodes.section:
        with _context(command, name, parent) as context:
            title = context.command_path
            label = nodes.fully_normalize_name(title.replace(" ", "-"))
            section = nodes.section(ids=[nodes.make_id(label)], names=[label])
            section += nodes.title("", "", nodes.literal("", title))
            section += _paragraphs(command.help or "")
            if children := list(_children(command, context)):
                section += _examples(command)
                section += [self._section(child, child_name, context) for child_name, child in children]
            else:
                section += _block(" ".join([title, *command.collect_usage_pieces(context)]), "text")
                section += _parameters(command, context)
                section += _examples(command)
        self.state.document.note_explicit_target(section)
        return section


def _context(command: Any, name: str, parent: Any) -> Any:
    return command.make_context(name, [], parent=parent, resilient_parsing=True)


def _children(command: Any, context: Any) -> Iterator[tuple[str, Any]]:
    if hasattr(command, "list_commands"):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if not child.hidden:
                yield name, child


def _paragraphs(text: str) -> list[nodes.Node]:
    return [nodes.paragraph("", " ".join(part.split())) for part in text.split("\n\n") if part.strip()]


def _parameters(command: Any, context: Any) -> nodes.definition_list:
    """Arguments and options, each with its help, default and range."""
    listed = nodes.definition_list(classes=["options"])
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is None or UNINTERESTING & set(parameter.opts):
            continue
        name, text = record
        item = nodes.definition_list_item("", nodes.term("", "", nodes.literal("", " ".join(name.split()))))
        item += nodes.definition("", nodes.paragraph("", " ".join(text.split())))
        listed += item
    return listed


def _examples(command: Any) -> list[nodes.Node]:
    lines = [line.strip() for line in (command.epilog or "").splitlines()]
    shown = [line for line in lines if line.startswith(("oas ", "SLURM_TIME_FORMAT", "python "))]
    return [_block("\n".join(shown), "sh")] if shown else []


def _block(text: str, language: str) -> nodes.literal_block:
    return nodes.literal_block(text, text, language=language)


def setup(app: Sphinx) -> dict[str, object]:
    """Register the directive."""
    app.add_directive("autocommands", AutoCommands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
