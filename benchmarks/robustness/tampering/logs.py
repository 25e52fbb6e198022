"""Rules for the compressed logs in certificates: altered inside and packed again, or packed to be costly."""

from __future__ import annotations

import zlib
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING

from benchmarks.robustness.tampering.draft import DoesNotApplyError

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from benchmarks.robustness.tampering.draft import Draft

PACKED = ("codes", "seen")
MEANING = (0, 1, 2, 3, 4, 252, 253, 254, 255)  # bytes that say something in one of the logs


def _packed(data: bytes) -> str:
    return b64encode(zlib.compress(data, 9)).decode()


def _altered(draw: Random, data: bytes) -> bytes:
    made = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 5, 50))):
        at = draw.randrange(len(made) + 1)
        what = draw.randrange(6)
        if what == 0:
            made[at:at] = bytes([draw.choice(MEANING)])
        elif not made:
            continue
        elif what == 1:
            del made[min(at, len(made) - 1)]
        elif what in (2, 3):
            made[min(at, len(made) - 1)] = draw.choice((*MEANING, draw.randrange(256)))
        elif what == 4:
            other = draw.randrange(len(made))
            at = min(at, len(made) - 1)
            made[at], made[other] = made[other], made[at]
        else:
            end = draw.randrange(at, len(made) + 1)
            made[at:end] = b"" if draw.random() < 0.5 else made[at:end] * 2
    return bytes(made)


def altered(draft: Draft) -> None:
    """Bytes of a log changed, left out, put in or swapped, and packed again."""
    certificate = draft.certificate
    names = [name for name in PACKED if name in certificate]
    if not names:
        raise DoesNotApplyError
    name = names[0] if draft.random.random() < 0.8 else draft.random.choice(names)
    certificate[name] = _packed(_altered(draft.random, zlib.decompress(b64decode(certificate[name]))))
    draft.maybe_raise()


def cut(draft: Draft) -> None:
    """The packed text cut, with something behind it, or of other characters."""
    certificate = draft.certificate
    names = [name for name in PACKED if name in certificate]
    if not names:
        raise DoesNotApplyError
    name = draft.random.choice(names)
    text: str = certificate[name]
    data = b64decode(text)
    choices = (
        text[: draft.random.randrange(len(text))],
        text + "\n",
        text + text,
        b64encode(data + data).decode(),
        b64encode(data[:-4]).decode(),
        b64encode(data[:-4] + b"abcd").decode(),
        "é" + text,
        "",
    )
    certificate[name] = draft.random.choice(choices)
    draft.maybe_raise()


def swollen(draft: Draft) -> None:
    """A log that unpacks to very many bytes, all alike: branches opened for ever, or moments without end."""
    certificate = draft.certificate
    names = [name for name in PACKED if name in certificate]
    if not names:
        raise DoesNotApplyError
    size = draft.random.choice((10**5, 10**6, 10**7, 5 * 10**7, 3 * 10**8))
    unit = draft.random.choice((b"\0", b"\1", b"\2", b"\xfe\0", b"\xff", b"\x80", b"\0\1"))
    packer = zlib.compressobj(9)
    piece = unit * (2**16 // len(unit))
    data = b"".join(packer.compress(piece) for _ in range(size // len(piece) + 1)) + packer.flush()
    certificate[draft.random.choice(names)] = b64encode(data).decode()
    if draft.random.random() < 0.5:
        draft.raise_claim()


RULES: dict[str, Callable[[Draft], None]] = {
    "log altered and packed again": altered,
    "packed log cut or joined": cut,
    "log that unpacks to much": swollen,
}
