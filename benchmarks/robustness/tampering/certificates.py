"""Rules that change the numbers, lists and logs of a certificate, or make it costly to check."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from functools import partial
from typing import TYPE_CHECKING, Any

from benchmarks.robustness import documents
from benchmarks.robustness.documents import is_integer, places, put_number

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from benchmarks.robustness.tampering.draft import Draft

MEANING = (0, 1, 2, 3, 4, 252, 253, 254, 255)  # bytes with a meaning in one of the logs


def change_certificate(draft: Draft, change: Callable[[Random, Any], None]) -> None:
    """Change the certificate by its structure."""
    change(draft.random, draft.certificate)
    draft.maybe_raise()


def pack(data: bytes) -> str:
    """Return the packed text of a log."""
    return b64encode(zlib.compress(data, 9)).decode()


def change_log(draft: Draft) -> None:
    """Change, drop, repeat or swap bytes of a compressed log, or drop or repeat a part."""
    draw, name = draft.random, draft.packed_field()
    data = bytearray(zlib.decompress(b64decode(draft.certificate[name])))
    for _ in range(draw.choice((1, 1, 1, 2, 5, 50))):
        at, end = sorted(draw.randrange(len(data) + 1) for _ in range(2))
        kind = draw.randrange(3)
        if kind == 0:
            data[at : at + draw.randrange(2)] = bytes([draw.choice((*MEANING, draw.randrange(256)))])
        elif kind == 1 and data:
            documents.edit_list(draw, data)
        else:
            data[at:end] = data[at:end] * draw.choice((0, 2))
    draft.certificate[name] = pack(bytes(data))
    draft.maybe_raise()


def cut_log(draft: Draft) -> None:
    """Cut the packed text, append to it, or use other characters."""
    name = draft.packed_field()
    text: str = draft.certificate[name]
    data = b64decode(text)
    packed = [b64encode(one).decode() for one in (data + data, data[:-4], data[:-4] + b"abcd")]
    cut = text[: draft.random.randrange(len(text))]
    draft.certificate[name] = draft.random.choice((cut, text + "\n", text + text, "é" + text, "", *packed))
    draft.maybe_raise()


def swell_log(draft: Draft) -> None:
    """Insert a log that unpacks to a very large number of equal bytes: endless branches or moments."""
    name = draft.packed_field()
    size = draft.random.choice((10**5, 10**6, 10**7, 5 * 10**7, 3 * 10**8))
    unit = draft.random.choice((b"\0", b"\1", b"\2", b"\xfe\0", b"\xff", b"\x80", b"\0\1"))
    packer, piece = zlib.compressobj(9), unit * (2**16 // len(unit))
    data = b"".join(packer.compress(piece) for _ in range(size // len(piece) + 1)) + packer.flush()
    draft.certificate[name] = b64encode(data).decode()
    if draft.random.random() < 0.5:
        draft.raise_claim()


def deepen_tree(draft: Draft) -> None:
    """Make the tree up to 10**5 deep, closed by some of its leaves, or not closed."""
    tree = draft.with_field("tree")["tree"]
    leaves = [one for one in tree if type(one) is int or (isinstance(one, dict) and "weights" in one)]
    inner = [one for one in tree if one not in leaves] or [_inner_node(draft.specimen.name)]
    depth = draft.random.choice((40, 199, 250, 10**3, 10**4, 10**5))
    leaf = draft.random.choice(leaves or [0])
    # With a leaf after each inner node, the tree goes down one side only; otherwise, all leaves come at the end.
    path = [draft.random.choice(inner), leaf] if draft.random.random() < 0.5 else [draft.random.choice(inner)]
    closed = draft.random.random() < 0.7
    draft.certificate["tree"] = path * depth + [leaf] * ((1 if len(path) == 2 else depth + 1) if closed else 0)
    draft.maybe_raise()


def _inner_node(name: str) -> Any:
    """Return an inner node of the tree of the bound of this name."""
    if name.startswith("mosp"):
        return [0, 1]
    return {"before": [0, 3]} if "shared" in name else {"job": 0, "parts": [[0], [1]]}


def deepen_file(draft: Draft) -> None:
    """Nest lists or objects up to 10**5 deep somewhere in the file."""
    depth = draft.random.choice((49, 51, 1000, 10**5))
    opening, closing = draft.random.choice((("[", "]"), ('{"a":', "}")))
    certificate = draft.bound["certificate"]
    place = draft.random.choice(sorted(certificate)) if certificate else None
    (certificate if place else draft.document)[place or "message"] = "@"
    text = json.dumps(draft.document)
    draft.raw = text.replace('"@"', opening * depth + "1" + closing * depth, 1).encode()


def harden_weights(draft: Draft) -> None:
    """Draw all weights again, so that the maximum weight is hard to find, with the maximum number of steps."""
    certificate = draft.with_field("weights") if "weights" in draft.certificate else draft.with_field("tree")
    kind = draft.random.randrange(4)
    for name in ("weights", "heights", "times", "slots", "tree"):
        for place in list(places(certificate.get(name, []))):
            if is_integer(place[0][place[1]]) and not isinstance(place[1], str):
                put_number(place, draw_weight(draft.random, kind))
    if "steps" in certificate:
        certificate["steps"] = draft.random.choice((0, 1, 10**4, 10**6, 10**9, 2**31, 2**62, 2**63))
    if "makespan" in certificate and draft.random.random() < 0.7:
        draft.raise_claim()


def draw_weight(draw: Random, kind: int) -> int:
    """Draw a weight of one of four kinds: nearly equal, of any size, a power of two, or 1."""
    return (2**20 + draw.randrange(4), draw.randrange(2**30), 1 << draw.randrange(40), 1)[kind]


def change_makespan(draft: Draft) -> None:
    """Refute a makespan of very many or very few ticks, on which the sizes of tables may depend."""
    value = draft.random.choice((0, 1, 10**5, 10**7, 10**9, 2**40, 2**62, 2**63, 10**30))
    draft.with_field("makespan")["makespan"] = value
    if draft.random.random() < 0.5:  # it may well refute this, and proves nothing then
        claim = str((value + 1) * draft.tick)
        draft.document |= {"lower_bound": claim, "schedule": None, "objective": None, "gap": None}
        draft.document["status"] = "no_solution"
        draft.bound["value"] = claim


RULES: dict[str, Callable[[Draft], None]] = {
    **{f"certificate: {name}": partial(change_certificate, change=one) for name, one in documents.CHANGES.items()},
    "certificate: log changed": change_log,
    "certificate: log cut or joined": cut_log,
    "costly: log that unpacks to much": swell_log,
    "costly: tree up to 10**5 deep": deepen_tree,
    "costly: file up to 10**5 deep": deepen_file,
    "costly: weights drawn again, many steps": harden_weights,
    "costly: another makespan": change_makespan,
}
