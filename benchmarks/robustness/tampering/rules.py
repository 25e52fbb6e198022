"""All rules by name, and a tampered file by its number."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from benchmarks.robustness.tampering import claims, costly, logs, schedules, shapes
from benchmarks.robustness.tampering.draft import DoesNotApplyError, Draft

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.robustness.tampering.specimens import Specimen

RULES: dict[str, Callable[[Draft], None]] = {
    **claims.RULES,
    **shapes.RULES,
    **logs.RULES,
    **costly.RULES,
    **schedules.RULES,
}
TWICE = 0.15  # of the files are tampered with by two rules


@dataclass(frozen=True)
class Tampered:
    """A tampered file.

    Attributes
    ----------
    specimen
        What it was made of.
    rule
        By which rule, the first one if there were two.
    data
        The file.
    """

    specimen: Specimen
    rule: str
    data: bytes


def tampered(specimens: Sequence[Specimen], seed: int, index: int) -> Tampered:
    """Return file number `index` of a seed: always the same for the same specimens.

    All kinds of proof are as frequent as one another, and so are the rules among those that apply.
    """
    random = Random(f"{seed}/{index}")
    names = sorted({one.name for one in specimens})
    while True:
        name = random.choice(names)
        specimen = random.choice([one for one in specimens if one.name == name])
        rule = random.choice(sorted(RULES))
        draft = Draft(specimen, tuple(specimens), random)
        try:
            RULES[rule](draft)
        except DoesNotApplyError:
            continue
        if random.random() < TWICE:
            _once_more(draft)
        return Tampered(specimen, rule, draft.data)


def _once_more(draft: Draft) -> None:
    """Tamper by another rule on top, if what the first has left allows it."""
    try:
        RULES[draft.random.choice(sorted(RULES))](draft)
    except (DoesNotApplyError, TypeError, ValueError, KeyError, IndexError, AttributeError, ZeroDivisionError):
        return  # the document is no longer shaped as the rule knows it
