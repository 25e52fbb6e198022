"""Documents whose examples are run: blocks of code, commands compared with what is shown of them, and pictures."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from typing import NamedTuple

import numpy as np
from PIL import Image


class Block(NamedTuple):
    """A fenced block: the comment on the line before it, its language, its text."""

    note: str
    kind: str
    text: str

    @property
    def commands(self):
        """Of a console block: each command, without its prompt, and the lines that it prints."""
        parts = re.split(r"^(?=\$ )", self.text, flags=re.MULTILINE)[1:]
        return [part.removeprefix("$ ").splitlines() for part in parts]


def blocks_of(document):
    text = document.read_text(encoding="utf-8")
    found = re.findall(r"^(?:<!-- ([^\n]*) -->\n)?```(\w+)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [Block(*one) for one in found]


def without_times(text):
    """Wall times differ from run to run, and with them the width of their column."""
    text = re.sub(r"\d+\.\d+ s", "TIME", text)
    # Which of the shortest schedules a solver finds is its own affair: only the makespan is certain.
    text = re.sub(r"^(optimum +\d+ +[\d,]+).*$", r"\1", text, flags=re.MULTILINE)
    text = re.sub(r"^(O\d +\d+ +\d+) .*%$", r"\1", text, flags=re.MULTILINE)
    return [re.sub(r"[ ─]+", " ", line).strip() for line in text.splitlines()]


def check_oas(command, shown, *, python=sys.executable, code=0, **environment):
    """Run an `oas` command of a document; what it prints is what is shown, if anything is."""
    run = run_command([python, "-P", "-m", "oas", *arguments_of(command)], environment)
    check_shown(run, shown, code)


def arguments_of(command):
    """What an `oas` command of a document is called with."""
    program, *arguments = shlex.split(command)
    assert program == "oas"
    return arguments


def check_shown(run, shown, code=0):
    """Hold a command's exit code and what it has printed against what a document shows, if it shows anything."""
    assert run.returncode == code, run.stderr
    if shown:
        assert without_times(run.stdout) == without_times("\n".join(shown))


def run_command(command, environment):
    return subprocess.run(
        command,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "130", **environment},
        timeout=3600,
        check=False,
    )


WIDTH = 160  # pixels to which both pictures are reduced
# Largest mean and largest single difference of the reduced pictures, of 255. Fonts come with matplotlib, so one version
# draws alike on all machines; other versions move text and hatches by a few pixels (3.9 against 3.11: 6.2 and 163).
SAME_VERSION, OTHER_VERSION = (0.3, 30.0), (9.0, 255.0)
# Boxes that depend on the seconds something took, as labels on a time axis move what is above it: left, top, right and
# bottom, as shares of the picture.
TIMED = {"trace.png": (0.03, 0.0, 1.0, 1.0)}


def check_picture(drawn, stored):
    """Compare a picture that was just drawn with the one that a page shows."""
    (first, version), (second, stored_version) = _reduced(drawn), _reduced(stored)
    assert abs(len(first) - len(second)) <= 0.05 * len(second), f"{stored.name} has another shape"
    rows = min(len(first), len(second))
    apart = np.abs(first[:rows] - second[:rows])
    if stored.name in TIMED:
        left, top, right, bottom = TIMED[stored.name]
        apart[int(top * rows) : int(bottom * rows), int(left * WIDTH) : int(right * WIDTH)] = 0
    mean, block = SAME_VERSION if version == stored_version else OTHER_VERSION
    assert apart.mean() <= mean and apart.max() <= block, (
        f"{stored.name} is not what its code draws: apart by {apart.mean():.2f} of 255 on average, at most "
        f"{apart.max():.0f}"
    )


def _reduced(path):
    """Return the pixels on white, reduced, and the version of matplotlib that drew them."""
    with Image.open(path) as picture:
        coloured, version = picture.convert("RGBA"), picture.info["Software"]
    flat = Image.new("RGB", coloured.size, "white")
    flat.paste(coloured, mask=coloured.getchannel("A"))
    height = round(WIDTH * flat.height / flat.width)
    return np.asarray(flat.resize((WIDTH, height), Image.Resampling.BOX), dtype=float), version
