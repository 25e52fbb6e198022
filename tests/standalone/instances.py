"""Instances as the stand-alone checker reads them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from oas.io.writing import dumps
from oas.standalone.coallocation_instance import read_coallocation
from oas.standalone.reading import DecimalText

if TYPE_CHECKING:
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.standalone.coallocation_instance import CoallocationInstance as OwnInstance


def own_coallocation(instance: CoallocationInstance) -> OwnInstance:
    """Return the instance as read from its file."""
    return read_coallocation(json.loads(dumps(instance), parse_float=DecimalText))
