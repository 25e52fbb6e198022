"""Commands from functions, and their help: options from data classes, texts from docstrings, names as typed."""

from __future__ import annotations

import functools
import inspect
import re
from dataclasses import MISSING, fields, is_dataclass
from typing import TYPE_CHECKING, Any, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

from oas.core.errors import unknown_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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
        """Return the command that is named first; raises `InputError` if there is none of this name."""
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


def folded(line: str, width: int) -> str:
    """Break a command that is longer than `width` before options, so that it can still be copied into a shell."""
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


def _argument(parameter: Any) -> str:
    return parameter.metavar or parameter.name.upper()


def _usage(parameter: Any) -> str:
    name = _argument(parameter) if parameter.required else f"[{_argument(parameter)}]"
    return name if parameter.nargs == 1 else f"{name}..."


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
            width = formatter.width - formatter.current_indent
            formatter.write_text("\n".join(folded(line, width) for line in command.epilog.splitlines()))


HELP_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
_NAME = re.compile(r"`+([^`]*)`+")
_HEADING = "Examples\n--------\n"


def command_group(epilog: str | None = None, cls: type[PlainGroup] = PlainGroup, **more: Any) -> typer.Typer:
    """Return an application whose commands are still to be added; `more` is what `typer.Typer` takes beside.

    Where it is listed among other commands its `help` stands in full.
    """
    if "help" in more:
        more["short_help"] = more["help"]
    return typer.Typer(
        cls=cls, epilog=epilog, no_args_is_help=True, rich_markup_mode=None, context_settings=HELP_SETTINGS, **more
    )


def add_command(app: typer.Typer, name: str, function: Callable[..., None]) -> None:
    """Register a command; its docstring's examples stand beneath the options, a line each as they are written.

    A parameter that is a data class becomes an option for each field of the class (`spread`).

    Raises `ValueError` if the docstring has no examples.
    """
    text, heading, examples = inspect.cleandoc(function.__doc__ or "").partition(_HEADING)
    if not heading:
        raise ValueError(f"the command {name} has no examples")
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
    """Return the function with the fields of its data classes in place of the parameters that hold them."""
    signature = inspect.signature(function, eval_str=True)
    groups: dict[str, Any] = {
        name: one.annotation for name, one in signature.parameters.items() if is_dataclass(one.annotation)
    }
    parameters: list[inspect.Parameter] = []
    for name, one in signature.parameters.items():
        parameters += _fields_of(groups[name]) if name in groups else [one.replace(kind=inspect.Parameter.KEYWORD_ONLY)]

    @functools.wraps(function)
    def called(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{one.name: values.pop(one.name) for one in fields(group)})
        function(**values)

    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {one.name: one.annotation for one in parameters}
    return called


def _fields_of(group: Any) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for one in fields(group):
        default = inspect.Parameter.empty if one.default is MISSING else one.default
        yield inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[one.name])


def parameter_texts(function: Callable[..., object]) -> dict[str, str]:
    """Return the description of each parameter in the numpy docstring of `function`, as one line of plain text.

    Other parameters that it names are called as the command line calls them: ``slot_percent`` is ``--slot-percent``.
    """
    _, _, section = inspect.cleandoc(function.__doc__ or "").partition("Parameters\n----------\n")
    found: dict[str, str] = {}
    names: list[str] = []
    for line in section.partition("\n\n")[0].splitlines():
        if line.startswith(" "):
            for name in names:
                found[name] = f"{found.get(name, '')} {line.strip()}".strip()
        else:
            names = [name.strip() for name in line.split(",")]
    written = {one.name: _written(one) for one in inspect.signature(function).parameters.values()}
    return {name: _NAME.sub(lambda match: written.get(match[1], match[1]), text) for name, text in found.items()}


def _written(parameter: inspect.Parameter) -> str:
    """Return the name of the option, or of the argument where there is no default."""
    if parameter.default is inspect.Parameter.empty:
        return parameter.name.upper()
    return f"--{parameter.name.replace('_', '-')}"
