"""Help texts taken from docstrings."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import typer

HELP_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
_HEADING = "Examples\n--------\n"


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
        help=text,
        short_help=text.partition("\n")[0],
        epilog="\n".join(["\b", "Examples:", *lines]),
        context_settings=HELP_SETTINGS,
    )(function)


def parameter_texts(function: Callable[..., object]) -> dict[str, str]:
    """Return the description of each parameter in the numpy docstring of `function`, as one line of plain text."""
    _, _, section = inspect.cleandoc(function.__doc__ or "").partition("Parameters\n----------\n")
    found: dict[str, str] = {}
    names: list[str] = []
    for line in section.partition("\n\n")[0].splitlines():
        if line.startswith(" "):
            for name in names:
                found[name] = f"{found.get(name, '')} {line.strip()}".strip()
        else:
            names = [name.strip() for name in line.split(",")]
    return {name: text.replace("`", "") for name, text in found.items()}
