"""A user's own file of the name of the toolkit's second package, `heuristics`: one of the two hides the other."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from oas.core.errors import InputError

NAME = "heuristics"
_OWN = Path(__file__).resolve().parents[2] / NAME / "__init__.py"


def check_not_hidden() -> None:
    """Refuse a file or folder called heuristics that Python finds before the toolkit's package.

    Raises
    ------
    InputError
        Naming it.
    """
    try:
        spec = find_spec(NAME)
    except ValueError:  # a module without one stands in its place
        return
    if spec is None or spec.origin is None or not _OWN.is_file() or Path(spec.origin).resolve() == _OWN:
        return
    found = Path(spec.origin)
    if found.name == "__init__.py":
        raise _refusal(found.parent, f"my_{NAME}")
    raise _refusal(found, f"my_{NAME}.py")


def check_not_own(module: str, folder: Path) -> None:
    """Refuse a module of a user's own in `folder` that the toolkit's package of the same name hides.

    Raises
    ------
    InputError
        Naming it.
    """
    found = folder / f"{NAME}.py"
    if module == NAME and found.is_file():
        reason = f"the package {NAME} of this toolkit hides it; rename it, to my_{NAME}.py for example"
        raise InputError(reason, file=str(found))


def _refusal(found: Path, other: str) -> InputError:
    reason = f"it hides the package {NAME} of this toolkit; rename it, to {other} for example"
    return InputError(reason, file=str(found))
