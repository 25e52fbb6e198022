"""Recipes: how to cut an instance out of a log again. They can be published where the log's data must not be.

A recipe is a small JSON document: the log's name and checksum, whom to acknowledge, the slice, and the digest that the
instance must have.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from oas.core.errors import InputError, unknown_name, within
from oas.io.decoding import read_tree
from oas.io.files import naming_file, read_bytes
from oas.io.logs.slices import Slice, cut

if TYPE_CHECKING:
    from oas.io.files import Source
    from oas.io.logs.swf import SwfLog
    from oas.problems.mosp.instance import MospInstance

MAX_BYTES = 1 << 20


@dataclass(frozen=True)
class Recipe:
    """The recipe for cutting an instance out of a log again."""

    # log, sha256: the log's name and its file's checksum
    log: str
    sha256: str
    acknowledgement: str  # whom the log asks to acknowledge
    window: Slice  # what to cut out of it
    digest: str  # of the instance that comes of it


class _Document(msgspec.Struct, forbid_unknown_fields=True, frozen=True, tag_field="format", tag="oas-recipe"):
    version: Literal[1]
    log: str
    sha256: str
    acknowledgement: str
    slice: dict[str, Any]
    digest: str


def recipe_of(log: SwfLog, window: Slice) -> Recipe:
    """Return the recipe for a slice of a log; errors as `oas.io.logs.slices.cut`."""
    return Recipe(log.name, log.sha256, log.acknowledgement, window, cut(log, window).digest)


def follow(recipe: Recipe, log: SwfLog) -> MospInstance:
    """Cut the recipe's instance out of its log.

    Raises `InputError` if it is another log, or the instance is not the recipe's.
    """
    if log.sha256 != recipe.sha256:
        reason = f"is not the recipe's log, which is {recipe.log} with checksum {recipe.sha256}"
        raise InputError(reason, field="sha256", value=log.sha256)
    instance = cut(log, recipe.window)
    if instance.digest != recipe.digest:
        reason = f"the slice is another instance than the recipe's, of digest {recipe.digest}"
        raise InputError(reason, field="digest", value=instance.digest)
    return instance


def write_recipe(recipe: Recipe) -> bytes:
    """Return a recipe as JSON."""
    document = _Document(1, recipe.log, recipe.sha256, recipe.acknowledgement, recipe.window.to_dict(), recipe.digest)
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def read_recipe(path: Source) -> Recipe:
    """Read a recipe; raises `InputError` naming file, field and value."""
    with naming_file(path):
        return parse_recipe(read_bytes(path, MAX_BYTES))


def parse_recipe(data: bytes) -> Recipe:
    """Read a recipe from bytes; errors as `read_recipe`."""
    try:
        document = msgspec.convert(read_tree(data, decimal=str), _Document)  # so that 1e1 is no whole number in a file
    except (msgspec.ValidationError, RecursionError) as error:
        raise InputError(f"not a recipe: {error}") from error
    unknown = sorted(set(document.slice) - set(Slice.__dataclass_fields__))
    if unknown:
        known = Slice.__dataclass_fields__
        raise unknown_name(unknown[0], known, f"slice.{unknown[0]}", reason="there is no such field")
    with within("slice"):
        window = Slice(**{"processors": None, **document.slice})  # a recipe without them is older than "split"
    return Recipe(document.log, document.sha256, document.acknowledgement, window, document.digest)
