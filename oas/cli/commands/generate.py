"""`oas generate`: a command for each generator, its options taken from the generator's own parameters."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_origin

import typer
from typer import Argument, Option

from oas.cli.output import put_instance
from oas.cli.plain_help import HELP_SETTINGS, PlainCommand, command_group, parameter_texts
from oas.generate import Generator, generators
from oas.generate.mosp.worst_cases import worst_cases

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

EPILOG = """\b
Examples:
  oas generate section4 --seed 3 --bandwidth tight --slot-percent 50 --output grid.json
  oas generate section4 --jobs 16 --nodes 20 | oas solve - --time-limit 60
  oas generate workload 1 -o wl-1.json"""

generate_app = command_group(EPILOG, help="Make an instance by a seeded generator: a command for each.")

_Output = Annotated[str, Option("--output", "-o", metavar="PATH", help="Where to write the instance; - is stdout.")]


def _parameter(parameter: inspect.Parameter, texts: Mapping[str, str]) -> inspect.Parameter:
    """A generator's parameter as an option; without a default, as an argument."""
    kind, text = parameter.annotation, texts.get(parameter.name, "")
    if kind not in (int, str, bool) and get_origin(kind) is not Literal:
        kind = str  # an exact number is read from its text
    metavar = {int: "N", str: "NUMBER"}.get(kind)
    if parameter.default is inspect.Parameter.empty:
        return parameter.replace(annotation=Annotated[kind, Argument(metavar=parameter.name.upper(), help=text)])
    default = parameter.default
    if kind is str and not isinstance(default, str):
        default = None if default is None else str(default)
    return inspect.Parameter(
        parameter.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, Option(metavar=metavar, help=text)],
    )


def _command(generator: Generator) -> Callable[..., None]:
    def command(output: str, **arguments: Any) -> None:
        put_instance(generator.function(**arguments), output)

    texts = parameter_texts(generator.function)
    parameters = inspect.signature(generator.function, eval_str=True).parameters.values()
    own = [_parameter(one, texts) for one in parameters]
    last = inspect.Parameter("output", inspect.Parameter.KEYWORD_ONLY, default="-", annotation=_Output)
    command.__signature__ = inspect.Signature([*own, last])  # type: ignore[attr-defined]
    command.__annotations__ = {one.name: one.annotation for one in [*own, last]}
    return command


def _example(generator: Generator, group: str) -> str:
    needed = [
        "1"
        for one in inspect.signature(generator.function).parameters.values()
        if one.default is inspect.Parameter.empty
    ]
    command = [f"oas generate {group}{generator.name}", *needed, f"--output {generator.name}.json"]
    return f"\b\nExample:\n  {' '.join(command)}"


def _add(app: typer.Typer, generator: Generator, group: str = "") -> None:
    summary = f"{generator.summary[0].upper()}{generator.summary[1:]}."
    app.command(
        generator.name,
        cls=PlainCommand,
        help=summary,
        short_help=summary,
        epilog=_example(generator, group),
        context_settings=HELP_SETTINGS,
    )(_command(generator))


worst_case_app = command_group(
    help="The papers' worst cases and examples for organizations that share clusters: a command for each."
)
for _generator in generators():
    _add(generate_app, _generator)
for _case in worst_cases():
    _summary = f"{_case.summary} ({_case.source})"
    _add(worst_case_app, Generator(_case.name, _case.function, _summary), "worst-case ")
generate_app.add_typer(worst_case_app, name="worst-case")
