"""Figures inside a notebook's page: the same bytes for the same data, apart from all others."""

from __future__ import annotations

import re
import warnings
from hashlib import sha256
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING, Any

from matplotlib import style

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

_SETTINGS: dict[str, Any] = {"svg.hashsalt": "oas", "svg.fonttype": "path", "savefig.bbox": "standard"}
_NOTHING = ("Creator", "Date", "Format", "Type")
_SHOWN = 'style="max-width:100%;height:auto;background:white" role="img"'


def inline_svg(draw: Callable[[], Figure], label: str) -> str:
    """Return as SVG what `draw` makes in matplotlib's own style; `label` is read out where pictures are not seen.

    Its ids and style sheet are its own, as all cells of a notebook share one page.
    """
    content = BytesIO()
    with style.context(["default", _SETTINGS]), warnings.catch_warnings():
        # A schedule may be as wrong as it likes; that no layout suits it is nothing to warn of.
        warnings.simplefilter("ignore", UserWarning)
        draw().savefig(content, format="svg", metadata=dict.fromkeys(_NOTHING))
    text = content.getvalue().decode()
    own = f"oas{sha256(text.encode()).hexdigest()[:12]}"
    text = re.sub(r"<!--.*?-->\n?", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{own}-', text)
    text = re.sub(r'href="#', f'href="#{own}-', text).replace("url(#", f"url(#{own}-")
    text = text.replace('<style type="text/css">*', f'<style type="text/css">#{own} *')
    return text.replace("<svg", f'<svg id="{own}" {_SHOWN} aria-label="{escape(label, quote=True)}"', 1)
