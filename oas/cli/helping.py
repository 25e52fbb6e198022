"""Help texts taken from docstrings."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Any

import typer

from oas.cli.plain_help import PlainCommand, PlainGroup

if TYPE_CHECKING:
    from collections.abc import Callable

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
        cls=cls,
        epilog=epilog,
        no_args_is_help=True,
        rich_markup_mode=None,
        context_settings=HELP_SETTINGS,
        **more,
    )


def add_command(app: typer.Typer, name: str, function: Callable[..., None]) -> None:
    """Register a command; its docstring's examples stand beneath the options, a line each as they are written.

    Raises
    ------
    ValueError
        If the docstring has no examples.
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
    )(function)


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
