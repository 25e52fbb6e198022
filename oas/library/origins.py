"""Make the instance of an entry from its origin."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import msgspec

from oas.core.errors import InputError
from oas.core.names import unknown_name
from oas.generate.mosp.worst_cases import worst_cases
from oas.generate.registry import generators
from oas.io.logs.recipes import follow, parse_recipe
from oas.problems.registry import adapted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oas.core.instances import Instance
    from oas.io.library_index import Origin
    from oas.io.logs.recipes import Recipe
    from oas.io.logs.swf import SwfLog


class LogMissingError(InputError):
    """The instance is a slice of a log that was not given."""


def make(origin: Origin, logs: Mapping[str, SwfLog]) -> Instance:
    """Make the instance.

    Parameters
    ----------
    logs
        Job logs by their checksums, for slices.

    Raises
    ------
    LogMissingError
        If it is a slice of a log that is not among `logs`.
    InputError
        If generator, case or parameters are unknown, or a recipe does not hold.
    """
    instance = _made(origin, logs)
    if origin.locality is None:
        return instance
    changed: Instance = adapted(instance, "locality", None if origin.locality == "none" else origin.locality)
    return changed


def recipe_of_origin(origin: Origin) -> Recipe:
    """Return the recipe of a slice; errors as `oas.io.logs.recipes.parse_recipe`."""
    return parse_recipe(msgspec.json.encode(origin.recipe))


def _made(origin: Origin, logs: Mapping[str, SwfLog]) -> Instance:
    if origin.recipe is not None:
        recipe = recipe_of_origin(origin)
        if recipe.sha256 not in logs:
            reason = f"the log {recipe.log} with checksum {recipe.sha256} is needed to cut the instance out of it"
            raise LogMissingError(reason)
        return follow(recipe, logs[recipe.sha256])
    function = _function(origin)
    accepted = inspect.signature(function).parameters
    for name in origin.parameters:
        if name not in accepted:
            raise unknown_name(name, accepted, name, reason="there is no such parameter")
    return function(**origin.parameters)


def _function(origin: Origin) -> Callable[..., Instance]:
    if origin.generator is not None:
        kind, name = "generator", origin.generator
        known: dict[str, Callable[..., Instance]] = {one.name: one.function for one in generators()}
    else:
        kind, name = "worst_case", origin.worst_case or ""
        known = {one.name: one.function for one in worst_cases()}
    if name not in known:
        raise unknown_name(name, known, kind)
    return known[name]
