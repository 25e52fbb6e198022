"""`oas generate`: one command per generator, with options from the generator's own parameters."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, Literal, get_origin

import typer
from typer import Argument, Option

from oas.cli.output import put_instance
from oas.cli.plain_help import HELP_SETTINGS, command_group, parameter_texts, set_parameters
from oas.generate import generators
from oas.mosp.generate.worst_cases import worst_cases

EPILOG = """\b
Examples:
  oas generate section4 --seed 3 --bandwidth tight --slot-percent 50 --output grid.json
  oas generate section4 --jobs 16 --nodes 20 | oas solve - --time-limit 60
  oas generate workload 1 -o wl-1.json"""

generate_app = command_group(EPILOG)

_Output = Annotated[str, Option("--output", "-o", metavar="PATH", help="File of the instance; - for stdout.")]


def _parameter(parameter: inspect.Parameter, text: str) -> inspect.Parameter:
    """Return a generator's parameter as an option, or as an argument if it has no default."""
    kind, default = parameter.annotation, parameter.default
    if kind not in (int, str, bool) and get_origin(kind) is not Literal:
        kind = str  # an exact number is read from its text
    if default is inspect.Parameter.empty:
        return parameter.replace(annotation=Annotated[kind, Argument(metavar=parameter.name.upper(), help=text)])
    if kind is str and default is not None:
        default = str(default)
    option = Option(metavar={int: "N", str: "NUMBER"}.get(kind), help=text)
    return parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option])


def _add(app: typer.Typer, name: str, function: Callable[..., Any], summary: str, group: str = "") -> None:

    def command(output: str, **arguments: Any) -> None:
        put_instance(function(**arguments), output)

    texts = parameter_texts(function)
    parameters = inspect.signature(function, eval_str=True).parameters.values()
    options = [_parameter(parameter, texts.get(parameter.name, "")) for parameter in parameters]
    output = inspect.Parameter("output", inspect.Parameter.KEYWORD_ONLY, default="-", annotation=_Output)
    set_parameters(command, [*options, output])
    arguments = " 1" * sum(parameter.default is inspect.Parameter.empty for parameter in parameters)
    summary = f"{summary[0].upper()}{summary[1:]}."
    app.command(
        name,
        help=summary,
        short_help=summary,
        epilog=f"\b\nExample:\n  oas generate {group}{name}{arguments} --output {name}.json",
        context_settings=HELP_SETTINGS,
    )(command)


WORST_CASES = "The papers' worst cases and examples for organizations that share clusters: one command per case."
worst_case_app = command_group(help=WORST_CASES, short_help=WORST_CASES)
for _generator in generators():
    _add(generate_app, _generator.name, _generator.function, _generator.summary)
for _case in worst_cases():
    _add(worst_case_app, _case.name, _case.function, f"{_case.summary} ({_case.source})", "worst-case ")
generate_app.add_typer(worst_case_app, name="worst-case")
