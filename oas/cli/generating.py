"""`oas generate`: a command for each generator, its options taken from the generator's own parameters."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_origin

import typer

from oas.generate.registry import Generator, generators

if TYPE_CHECKING:
    from collections.abc import Callable

generate_app = typer.Typer(
    help="Make an instance by a seeded generator: a command for each.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_Output = Annotated[
    str, typer.Option("--output", "-o", metavar="PATH", help="Where to write the instance; - is stdout.")
]


def _parameter(parameter: inspect.Parameter) -> inspect.Parameter:
    """A generator's parameter as an option; without a default, as an argument."""
    kind = parameter.annotation
    if kind not in (int, str, bool) and get_origin(kind) is not Literal:
        kind = str  # an exact number is read from its text
    if parameter.default is inspect.Parameter.empty:
        return parameter.replace(annotation=Annotated[kind, typer.Argument()])
    default = parameter.default
    if kind is str and not isinstance(default, str):
        default = None if default is None else str(default)
    return inspect.Parameter(
        parameter.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, typer.Option()]
    )


def _command(generator: Generator) -> Callable[..., None]:
    def command(output: str, **arguments: Any) -> None:
        from oas.io import save

        save(generator.function(**arguments), output)

    own = [_parameter(one) for one in inspect.signature(generator.function, eval_str=True).parameters.values()]
    last = inspect.Parameter("output", inspect.Parameter.KEYWORD_ONLY, default="-", annotation=_Output)
    command.__signature__ = inspect.Signature([*own, last])  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in [*own, last]}
    command.__doc__ = generator.summary
    return command


for _generator in generators():
    generate_app.command(_generator.name, help=_generator.summary)(_command(_generator))
