"""Commands built from functions: options from data classes, help texts from docstrings, plain-text help pages."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from oas.core.errors import unknown_name

_CHOICES = re.compile(r"[<\[]([^<>\[\]]*\|[^<>\[\]]*)[>\]]")
_REPLACEMENTS = (
    (re.compile(r"\\\["), "["),  # some versions of typer escape it for rich
    (re.compile(r"\b([\d.]+)<=x<=([\d.]+)"), r"\1 to \2"),
    (re.compile(r"\bx>=([\d.]+)"), r"at least \1"),
    (re.compile(r"(default: \d+)\.0\b"), r"\1"),
)
_BREAK = re.compile(r" (?=[-|>])")  # before an option, a pipe or a redirection
_INDENT = " " * 6


class PlainHelp:
    """Help pages in plain text: arguments, options and examples."""

    def format_options(self: Any, ctx: Any, formatter: Any) -> None:
        for kind in ("argument", "option"):
            parameters = [parameter for parameter in self.get_params(ctx) if parameter.param_type_name == kind]
            records = [record for parameter in parameters if (record := help_record(parameter, ctx))]
            if records:
                with formatter.section(f"{kind.capitalize()}s"):
                    formatter.write_dl(records)

    def format_epilog(self: Any, ctx: Any, formatter: Any) -> None:
        del ctx
        if self.epilog:
            formatter.write_paragraph()
            with formatter.indentation():
                width = formatter.width - formatter.current_indent
                formatter.write_text("\n".join(_folded(line, width) for line in self.epilog.splitlines()))


class PlainCommand(PlainHelp, TyperCommand):
    """A command with a plain-text help page."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        pieces = ["[OPTIONS]"]
        for parameter in self.get_params(ctx):
            if parameter.param_type_name == "argument":
                name = _argument_name(parameter) if parameter.required else f"[{_argument_name(parameter)}]"
                pieces.append(name if parameter.nargs == 1 else f"{name}...")
        return pieces


class PlainGroup(PlainHelp, TyperGroup):
    """A group of commands with a plain-text help page; suggests similar names for an unknown command."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if not (ctx.resilient_parsing or name.startswith("-")) and self.get_command(ctx, name) is None:
            group = ctx.command_path.removeprefix(ctx.find_root().command_path).strip()
            raise unknown_name(name, self.list_commands(ctx), group, reason="there is no such command")
        return super().resolve_command(ctx, args)


def help_record(parameter: Any, ctx: Any) -> tuple[str, str] | None:
    """Return the name and the help text of an argument or option; None for a hidden one."""
    record = parameter.get_help_record(ctx)
    if record is None:
        return None
    name, text = record
    if parameter.param_type_name == "argument":
        name = _argument_name(parameter)
    for pattern, replacement in _REPLACEMENTS:
        text = pattern.sub(replacement, text)
    return _CHOICES.sub(r"\1", name).removeprefix(" / "), text  # a flag with a negative form only


def _argument_name(parameter: Any) -> str:
    return parameter.metavar or parameter.name.upper()


def _folded(line: str, width: int) -> str:
    """Break a command longer than `width` before options, in a form that can be pasted into a shell."""
    if len(line) <= width:
        return line
    rows = [""]
    for part in _BREAK.split(line):
        longer = f"{rows[-1]} {part}" if rows[-1] else part
        if rows[-1] and len(longer) > width - len(" \\"):
            rows.append(_INDENT + part)
        else:
            rows[-1] = longer
    return " \\\n".join(rows)


HELP_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
_NAME = re.compile(r"`+([^`]*)`+")


def command_group(epilog: str | None = None, cls: type[PlainGroup] = PlainGroup, **options: Any) -> typer.Typer:
    """Return a group without commands; `options` are further arguments of `typer.Typer`."""
    return typer.Typer(
        cls=cls, epilog=epilog, no_args_is_help=True, rich_markup_mode=None, context_settings=HELP_SETTINGS, **options
    )


def add_command(app: typer.Typer, name: str, function: Callable[..., None]) -> None:
    """Register a command; the examples in its docstring follow the options, one per line.

    A parameter that is a data class becomes one option per field (`spread`).
    """
    text, _, examples = inspect.cleandoc(function.__doc__ or "").partition("Examples\n--------\n")
    lines = [line for line in examples.splitlines() if line.strip()]
    app.command(
        name,
        cls=PlainCommand,
        help=text,
        short_help=text.partition("\n")[0],
        epilog="\n".join(["\b", "Examples:", *lines]),
        context_settings=HELP_SETTINGS,
    )(spread(function))


def spread(function: Callable[..., None]) -> Callable[..., None]:
    """Return the function with each data-class parameter replaced by the fields of the data class."""
    groups: dict[str, Any] = {}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(function, eval_str=True).parameters.items():
        if not is_dataclass(parameter.annotation):
            parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        groups[name] = parameter.annotation
        hints = get_type_hints(parameter.annotation, include_extras=True)
        for field in fields(parameter.annotation):
            default = inspect.Parameter.empty if field.default is MISSING else field.default
            options = {"default": default, "annotation": hints[field.name]}
            parameters.append(inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, **options))

    @functools.wraps(function)
    def command(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        function(**values)

    set_parameters(command, parameters)
    return command


def set_parameters(command: Any, parameters: Sequence[inspect.Parameter]) -> None:
    """Set the signature that typer reads."""
    command.__signature__ = inspect.Signature(parameters)
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}


def parameter_texts(function: Callable[..., object]) -> dict[str, str]:
    """Return the parameter descriptions in the numpy docstring of `function`, each as one line of plain text.

    Parameter names in the text are replaced by option names: ``slot_percent`` by ``--slot-percent``.
    """
    _, _, section = inspect.cleandoc(function.__doc__ or "").partition("Parameters\n----------\n")
    texts: dict[str, str] = {}
    names: list[str] = []
    for line in section.partition("\n\n")[0].splitlines():
        if line.startswith(" "):
            for name in names:
                texts[name] = f"{texts.get(name, '')} {line.strip()}".strip()
        else:
            names = [name.strip() for name in line.split(",")]
    typed = {
        name: name.upper() if parameter.default is inspect.Parameter.empty else f"--{name.replace('_', '-')}"
        for name, parameter in inspect.signature(function).parameters.items()
    }
    return {name: _NAME.sub(lambda match: typed.get(match[1], match[1]), text) for name, text in texts.items()}
