"""Small public instances made by hand, in each format, with optima that are seen at once, and a catalogue of them."""

from __future__ import annotations

import hashlib
import json
import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# Bins of 10: 7 + 3, 6 + 4, 5 + 5: three bins, all full.
BINS = b"6\r\n10\r\n7\r\n6\r\n5\r\n5\r\n4\r\n3\r\n"
# Two machines: 3 + 3 against 2 + 2 + 2.
MACHINES = b"2\n5\n3\n3\n2\n2\n2\n"


def strip(width: int, items: list[tuple[int, int, int]], height: int = 99) -> bytes:
    """Return a strip of this width with items of length, height and demand, as OR-Datasets has them."""
    pieces = [{"Length": a, "Height": b, "Demand": c, "DemandMax": None, "Value": 1} for a, b, c in items]
    shape = [{"Length": width, "Height": height, "Stock": None, "Cost": 1}]
    return json.dumps({"Name": "made by hand", "Objects": shape, "Items": pieces}).encode()


# A strip of 4: 4 × 1 below, above it 3 × 2 and 1 × 1 twice: a rectangle of 4 × 3, cut without waste.
PERFECT = strip(4, [(4, 1, 1), (3, 2, 1), (1, 1, 2)])
# A strip of 3 with two squares of 2: one above the other, of height 4; the area is 8.
GAPPY = strip(3, [(2, 2, 2)])


def digest(content: bytes) -> str:
    """Return the checksum."""
    return hashlib.sha256(content).hexdigest()


def make(folder: Path, **changes: str) -> Path:
    """Write files and a catalogue of them into a folder; return the catalogue.

    Parameters
    ----------
    folder
        The files are in its folder ``files``.
    changes
        Texts of the catalogue to be replaced: ``old`` and ``new``.
    """
    files = folder / "files" / "deep"
    files.mkdir(parents=True)
    with zipfile.ZipFile(files / "bins.zip", "w") as archive:
        archive.writestr("Set\\one.txt", BINS)  # as archives made on Windows have it
    (files / "machines.txt").write_bytes(MACHINES)
    with zipfile.ZipFile(files / "strips.zip", "w") as archive:
        archive.writestr("perfect.json", PERFECT)
        archive.writestr("gappy.json", GAPPY)
    source = 'repository = "someone/sets"\ncommit = "0123456789012345678901234567890123456789"\n'
    tables = [
        f'[files.{name.partition(".")[0]}]\n{source}path = "a folder/{name}"\n'
        f'sha256 = "{digest((files / name).read_bytes())}"\n'
        for name in ("bins.zip", "machines.txt", "strips.zip")
    ]
    text = "\n".join(tables) + SETS
    if changes:
        assert text.count(changes["old"]) == 1
        text = text.replace(changes["old"], changes["new"])
    path = folder / "catalogue.toml"
    path.write_text(text, encoding="utf-8")
    return path


SETS = """
[[sets]]
name = "bins"
title = "Bins made by hand"
kind = "bin packing"
format = "bpplib"
reference = "nobody, 2026"
published = "Seen at once."
instances = [{ name = "one", file = "bins", member = "Set/one.txt", lower = 3, upper = 3 }]

[[sets]]
name = "machines"
title = "Machines made by hand"
kind = "machines"
format = "pcmax"
reference = "nobody, 2026"
published = "Seen at once."
instances = [{ name = "two", file = "machines", lower = 6, upper = 6 }]

[[sets]]
name = "perfect"
title = "A rectangle cut up"
kind = "strip packing"
format = "or-datasets"
reference = "nobody, 2026"
published = "The height of the rectangle."
perfect = true
instances = [{ name = "cut", file = "strips", member = "perfect.json", upper = 3 }]

[[sets]]
name = "gappy"
title = "Two squares"
kind = "strip packing"
format = "or-datasets"
reference = "nobody, 2026"
published = "Seen at once."
instances = [{ name = "squares", file = "strips", member = "gappy.json", upper = 4 }]

[[organized]]
name = "pairs"
title = "Two organizations"
organizations = 2
of = ["bins/one", "gappy/squares"]
"""
