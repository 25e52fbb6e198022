"""A difference written out: the shrunk instance as a file, and a note of who differs, on what, with which versions."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.agreement.participants import MISMATCH
from benchmarks.agreement.soak import standalone
from benchmarks.agreement.soak.examining import examined
from benchmarks.agreement.soak.shrinking import shrunk
from oas.core.formats import show_count
from oas.io import save

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from benchmarks.agreement.participants import ParticipantFinding
    from benchmarks.agreement.soak.asked import Asked
    from benchmarks.agreement.soak.drawing import Drawn
    from benchmarks.agreement.soak.examining import Examined
    from oas.core.instances import Instance

FOLDER = "differences"
MOST = 3  # participants for which files are written where several differ on one instance; the notes name the others


def differing(instance: Instance, asked: Asked, participant: str) -> ParticipantFinding | None:
    """Return the mismatch of a participant on an instance, asked alone; None if there is none."""
    found = examined(instance, replace(asked, only=participant)).findings
    return next((one for one in found if one.participant == participant and one.verdict == MISMATCH), None)


def _differs(asked: Asked, participant: str, instance: Instance) -> bool:
    return differing(instance, asked, participant) is not None


def write_difference(
    folder: Path,
    drawn: Drawn,
    asked: Asked,
    found: Examined,
    versions: Mapping[str, str],
    as_drawn: Collection[str] = (),
) -> list[str]:
    """Write instance and note for each participant that differs; return the files' names.

    The instance is made smaller, unless the participant is one of `as_drawn`.
    """
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    first = {one.participant: one for one in reversed(found.differing)}
    names = []
    for number, mismatch in enumerate(list(reversed(first.values()))[:MOST]):
        participant = mismatch.participant
        recurs = differing(drawn.instance, asked, participant) is not None
        instance = drawn.instance
        if recurs and participant not in as_drawn:
            instance = shrunk(instance, partial(_differs, asked, participant))
        last = differing(instance, asked, participant) if recurs else mismatch
        name = f"{FOLDER}/seed-{drawn.seed}-{number}.json"
        save(instance, folder / name)
        note = _note(drawn, instance, mismatch, last or mismatch, recurs, found, versions, name)
        (folder / name).with_suffix(".txt").write_text(note, encoding="utf-8")
        names.append(name)
    return names


def _note(
    drawn: Drawn,
    instance: Instance,
    mismatch: ParticipantFinding,
    last: ParticipantFinding,
    recurs: bool,
    found: Examined,
    versions: Mapping[str, str],
    name: str,
) -> str:
    others = sorted({one.participant for one in found.differing} - {mismatch.participant})
    again = "it did so again when asked alone" if recurs else "asked alone it did not: nothing is taken away"
    return "\n".join(
        [
            f"participant: {mismatch.participant} ({again})",
            f"seed: {drawn.seed}, {drawn.problem}, {drawn.shape}",
            f"as drawn, {show_count(len(drawn.instance.jobs), 'job')}: {mismatch.detail}",
            f"here, {show_count(len(instance.jobs), 'job')}: {last.detail}",
            f"others that differ on the instance as drawn: {', '.join(others) or 'none'}",
            "versions: " + ", ".join(f"{who} {text}" for who, text in versions.items()),
            f"stand-alone checker: {standalone.fingerprint()}",
            f"again: python -m benchmarks.agreement.soak --file {name}",
            "",
        ]
    )
