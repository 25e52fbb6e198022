"""What came of a tampered file, and the table of many."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from benchmarks.robustness.tampering.checkers import Answer
    from benchmarks.robustness.tampering.rules import Tampered

UNCHECKED = "not re-checked"  # how a checker says that a bound rests on a solver's word


@dataclass(frozen=True)
class Outcome:
    """What came of one file.

    Attributes
    ----------
    index, rule, name
        Its number, the rule that made it, and the proof that was tampered with.
    verdicts, seconds, memory
        By checker: ``oas`` and, where it was asked, ``alone``.
    violations
        What must not be: something false accepted, a checker slow or large or at its end, checkers that disagree.
    word
        Whether it was accepted as resting on a solver's word, which is no proof and said to be none.
    """

    index: int
    rule: str
    name: str
    verdicts: dict[str, str]
    seconds: dict[str, float]
    memory: dict[str, int]
    violations: list[str] = field(default_factory=list)
    word: bool = False

    @classmethod
    def of(cls, index: int, file: Tampered, answers: dict[str, Answer]) -> Outcome:
        """Judge these answers."""
        violations = [f"{name}: {one.fault}" for name, one in answers.items() if one.fault]
        word = False
        for name, one in answers.items():
            if one.verdict == "accepted":
                on_word = UNCHECKED in one.said
                word |= on_word
                violations += [f"{name}: {what}" for what in untrue(file, on_word=on_word)]
        return cls(
            index=index,
            rule=file.rule,
            name=file.specimen.name,
            verdicts={name: one.verdict for name, one in answers.items()},
            seconds={name: round(one.seconds, 3) for name, one in answers.items()},
            memory={name: one.memory for name, one in answers.items()},
            violations=violations,
            word=word,
        )

    def with_more(self, other: Outcome) -> Outcome:
        """Return this with what other checkers have said of the same file, and whether they agree."""
        both = Outcome(
            self.index,
            self.rule,
            self.name,
            self.verdicts | other.verdicts,
            self.seconds | other.seconds,
            self.memory | other.memory,
            [*self.violations, *other.violations],
            self.word or other.word,
        )
        if len({verdict == "accepted" for verdict in both.verdicts.values()}) > 1:
            both.violations.append(f"the checkers disagree: {both.verdicts}")
        return both

    def line(self) -> str:
        """Return it as a line of a record."""
        return json.dumps(asdict(self))


def untrue(file: Tampered, *, on_word: bool) -> list[str]:
    """Return what an accepted file says that is not so, by the optimum that is known."""
    document = json.loads(file.data)
    optimum = file.specimen.optimum
    found = []
    lower, objective = (
        None if document[name] is None else Fraction(str(document[name])) for name in ("lower_bound", "objective")
    )
    if lower is not None and lower > optimum and not on_word:
        found.append(f"the bound {lower} was accepted above the optimum {optimum}")
    if objective is not None and objective < optimum:
        found.append(f"a makespan of {objective} was accepted below the optimum {optimum}")
    if document["status"] == "infeasible":
        found.append("an instance with a schedule was accepted as infeasible")
    if document["status"] == "optimal" and (lower is None or lower != objective):
        found.append("an optimum was accepted without bound and schedule that meet")
    return found


def table(outcomes: Iterable[Outcome], by: Callable[[Outcome], str], title: str) -> str:
    """Return a table in Markdown, a row for each group and one for all."""
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for one in outcomes:
        groups[by(one)].append(one)
    everything = [one for group in groups.values() for one in group]
    rows = [(name, groups[name]) for name in sorted(groups)] + [("all", everything)]
    columns = (title, "files", "refused", "bad file", "accepted, still true", "on a solver's word", "accepted, false")
    checkers = sorted({name for one in everything for name in one.verdicts}, reverse=True)
    figures = [f"{name}: {what}" for name in checkers for what in ("slowest, s", "most, MiB")]
    lines = ["| " + " | ".join([*columns, *figures]) + " |", "|---|" + "---:|" * (len(columns) + len(figures) - 1)]
    return "\n".join([*lines, *(_row(name, group, checkers) for name, group in rows)])


def _row(name: str, group: list[Outcome], checkers: list[str]) -> str:
    first = [one.verdicts["oas"] for one in group]
    false = sum(any("was accepted" in what for what in one.violations) for one in group)
    word = sum(one.word for one in group)
    counts = [len(group), first.count("refused"), first.count("bad file")]
    counts += [first.count("accepted") - word - false, word, false]
    figures = []
    for checker in checkers:
        held = [one for one in group if checker in one.verdicts]
        figures.append(f"{max((one.seconds[checker] for one in held), default=0):.2f}")
        figures.append(f"{max((one.memory[checker] for one in held), default=0) / 2**20:.0f}")
    return "| " + " | ".join([name, *map(str, counts), *figures]) + " |"
