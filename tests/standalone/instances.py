"""Instances as the stand-alone checker reads them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from oas.io.writing import dumps
from oas.standalone.coallocation_instance import read_coallocation
from oas.standalone.mosp_instance import read_mosp
from oas.standalone.reading import DecimalText

if TYPE_CHECKING:
    from oas.problems.coallocation.instance import CoallocationInstance
    from oas.problems.mosp.instance import MospInstance
    from oas.standalone.coallocation_instance import CoallocationInstance as OwnInstance
    from oas.standalone.mosp_instance import MospInstance as OwnMospInstance


def own_coallocation(instance: CoallocationInstance) -> OwnInstance:
    """Return the instance as read from its file."""
    return read_coallocation(json.loads(dumps(instance), parse_float=DecimalText))


def own_mosp(instance: MospInstance) -> OwnMospInstance:
    """Return the instance as read from its file."""
    return read_mosp(json.loads(dumps(instance), parse_float=DecimalText))
