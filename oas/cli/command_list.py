"""The commands of `oas`: where each is, and its line in the help; they are imported when they are called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from oas.cli.plain_help import PlainGroup

if TYPE_CHECKING:
    from typer.core import TyperCommand


class Place(NamedTuple):
    """Where a command or a group of commands is, as ``module:name``, and the first line of its help."""

    place: str
    summary: str


COMMANDS = {
    "solve": Place(
        "solve:solve_command",
        "Find a shortest schedule and prove that it is one.",
    ),
    "compare": Place(
        "compare:compare_command",
        "Show the exact optimum beside every heuristic, each verified.",
    ),
    "verify": Place(
        "solve:verify_command",
        "Check a schedule, or all that a result claims, in exact arithmetic and without a solver.",
    ),
    "checker": Place(
        "packaged_files:checker_command",
        "Write the stand-alone checker: one Python file that checks what `oas verify` checks, by other code.",
    ),
    "example": Place(
        "packaged_files:example_command",
        "Write an example file to try the commands on, or list the examples.",
    ),
    "price": Place(
        "price:price_command",
        "Show what a promise or a rule costs: the optimum at each locality, of each reservation, of each threshold.",
    ),
    "place-reservation": Place(
        "place_reservation:place_reservation_command",
        "Find the start of a reservation, such as a maintenance window, that delays the optimal makespan least.",
    ),
    "slots": Place(
        "slots:slots_command",
        "Show what the size of the time slots costs and saves: the optimum at each size, and in continuous time.",
    ),
    "execute": Place(
        "execute:execute_command",
        "Run a plan, or a heuristic on line, under any saturation policy, and show what becomes of it.",
    ),
    "convert": Place(
        "convert:convert_command",
        "Cut a slice of a job log into an instance of several organizations, or convert such a file to fair sharing.",
    ),
    "appraise": Place(
        "appraise:appraise_command",
        "Show how far from optimal a scheduler was: windows of its log beside the best that could have been done.",
    ),
    "simulate": Place(
        "simulate:simulate_command",
        "Simulate queueing policies on a job log, around reservations: waits, slowdowns, utilisation.",
    ),
    "fair": Place(
        "fair:fair_command",
        "Show how fair policies are: what each organization gets, beside what it contributes.",
    ),
    "export": Place(
        "export:export_command",
        "Write the model of an instance for another solver.",
    ),
    "plot": Place(
        "export:plot_command",
        "Draw schedules: one with its link loads, several above one another on one time axis.",
    ),
    "new-heuristic": Place(
        "heuristic:new_heuristic_command",
        "Write a small package with a heuristic of your own that works: to be changed.",
    ),
    "test-heuristic": Place(
        "heuristic:test_heuristic_command",
        "Run a heuristic of your own over many instances, verify all it returns, and hold it against the optimum.",
    ),
    "schema": Place(
        "packaged_files:schema_command",
        "Print the JSON schema of a file format.",
    ),
    "doctor": Place(
        "doctor:doctor_command",
        "List the solvers found and test each on models with known answers.",
    ),
    "warm-up": Place(
        "doctor:warm_up_command",
        "Compile the searches, so that no later command has to.",
    ),
    "generate": Place(
        "generate:generate_app",
        "Make an instance by a seeded generator: a command for each.",
    ),
    "bench": Place(
        "bench:bench_app",
        "Campaigns: instances x methods x limits, declared in a TOML file.",
    ),
    "library": Place(
        "library:library_app",
        "Instances of both problems to cite: the best schedule and bound known of each, and their proof.",
    ),
}
"""In the order of the help; places are in `oas.cli.commands`."""


class ListedGroup(PlainGroup):
    """The commands of `oas.cli.command_list`."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands in the order of the help."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> TyperCommand | PlainGroup | None:
        """Import a command; None if there is none of this name."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        import typer

        from oas.cli.plain_help import add_command, command_group
        from oas.core.problem import find_place

        found = find_place(f"oas.cli.commands.{COMMANDS[cmd_name].place}")
        parent = command_group()
        if isinstance(found, typer.Typer):
            parent.add_typer(found, name=cmd_name)
        else:
            parent.command("other", hidden=True)(lambda: None)  # typer makes no group of a single command
            add_command(parent, cmd_name, found)
        command: Any = typer.main.get_group(parent).commands[cmd_name]
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands with a line each; none is imported."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.summary) for name, one in COMMANDS.items()])
