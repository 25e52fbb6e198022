"""Commands built from functions: options from data classes, help texts from docstrings; typer writes the pages."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_type_hints

import typer
from typer.core import TyperGroup

HELP_SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
_NAME = re.compile(r"`+([^`]*)`+")


def command_group(epilog: str | None = None, cls: type[TyperGroup] = TyperGroup, **options: Any) -> typer.Typer:
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
