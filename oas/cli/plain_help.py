"""What ``--help`` prints: names as they are typed, ranges in words, long examples broken as a shell allows it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand, TyperGroup

from oas.core.names import unknown_name

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHOICES = re.compile(r"[<\[]([^<>\[\]]*\|[^<>\[\]]*)[>\]]")
_WORDS = (
    (re.compile(r"\\\["), "["),  # some versions of typer escape it for rich
    (re.compile(r"\b([\d.]+)<=x<=([\d.]+)"), r"\1 to \2"),
    (re.compile(r"\bx>=([\d.]+)"), r"at least \1"),
    (re.compile(r"(default: \d+)\.0\b"), r"\1"),
)
_BREAK = re.compile(r" (?=[-|>])")  # before an option, a pipe or a redirection
_INDENT = " " * 6


class PlainCommand(TyperCommand):
    """A command."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return what stands behind the command's name."""
        arguments = [one for one in self.get_params(ctx) if one.param_type_name == "argument"]
        return ["[OPTIONS]", *map(_usage, arguments)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options."""
        _write_parameters(self, ctx, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples."""
        _write_epilog(self, formatter)


class PlainGroup(TyperGroup):
    """A group of commands; a name that none of them has is answered with near ones."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write options and commands."""
        _write_parameters(self, ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples."""
        _write_epilog(self, formatter)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is named first.

        Raises
        ------
        InputError
            If there is none of this name.
        """
        name = args[0]
        if not (ctx.resilient_parsing or name.startswith("-")) and self.get_command(ctx, name) is None:
            group = " ".join(reversed(list(_names(ctx))))
            raise unknown_name(name, self.list_commands(ctx), group, reason="there is no such command")
        return super().resolve_command(ctx, args)


def help_record(parameter: Any, ctx: Any) -> tuple[str, str] | None:
    """Return how an argument or option is written, and what it means; None for one that is hidden."""
    record = parameter.get_help_record(ctx)
    if record is None:
        return None
    name, text = record
    if parameter.param_type_name == "argument":
        name = _argument(parameter)
    name = _CHOICES.sub(r"\1", name)
    for pattern, words in _WORDS:
        text = pattern.sub(words, text)
    return name, text


def folded(text: str, width: int) -> str:
    """Break commands that are longer than `width` before options, so that they can still be copied into a shell."""
    return "\n".join(_folded(line, width) if len(line) > width else line for line in text.splitlines())


def _argument(parameter: Any) -> str:
    name: str = parameter.metavar or parameter.name.upper()
    return name


def _usage(parameter: Any) -> str:
    name = _argument(parameter) if parameter.required else f"[{_argument(parameter)}]"
    return name if parameter.nargs == 1 else f"{name}..."


def _folded(line: str, width: int) -> str:
    rows = [""]
    for part in _BREAK.split(line):
        longer = f"{rows[-1]} {part}" if rows[-1] else part
        if rows[-1] and len(longer) > width - len(" \\"):
            rows.append(_INDENT + part)
        else:
            rows[-1] = longer
    return " \\\n".join(rows)


def _names(ctx: Any) -> Iterator[str]:
    """Names of the commands that lead here, the last first, without the program's own."""
    while ctx.parent is not None:
        yield ctx.info_name
        ctx = ctx.parent


def _write_parameters(command: Any, ctx: Any, formatter: Any) -> None:
    for kind in ("argument", "option"):
        parameters = [one for one in command.get_params(ctx) if one.param_type_name == kind]
        records = [record for one in parameters if (record := help_record(one, ctx))]
        if records:
            with formatter.section(f"{kind.capitalize()}s"):
                formatter.write_dl(records)


def _write_epilog(command: Any, formatter: Any) -> None:
    if command.epilog:
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(folded(command.epilog, formatter.width - formatter.current_indent))
