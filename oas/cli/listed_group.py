"""The group of all commands, which imports a command when it is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oas.cli.command_list import COMMANDS
from oas.cli.plain_help import PlainGroup

if TYPE_CHECKING:
    from typer.core import TyperCommand


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

        from oas.cli.helping import add_command, command_group
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
