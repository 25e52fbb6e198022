"""Instances as the stand-alone checker reads them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from oas.checker.coallocation_instance import read_coallocation
from oas.checker.main import read_instance
from oas.checker.mosp_document import read_mosp
from oas.checker.reading import DecimalText
from oas.io.writing import dumps

if TYPE_CHECKING:
    from oas.checker.coallocation_instance import CoallocationInstance as OwnInstance
    from oas.checker.mosp_instance import MospInstance as OwnMospInstance
    from oas.coallocation.instance import CoallocationInstance
    from oas.mosp.instance import MospInstance


def own_instance(instance: CoallocationInstance | MospInstance) -> OwnInstance | OwnMospInstance:
    """Return the instance as read from its file."""
    return read_instance(json.loads(dumps(instance), parse_float=DecimalText))


def own_coallocation(instance: CoallocationInstance) -> OwnInstance:
    """Return the instance as read from its file."""
    return read_coallocation(json.loads(dumps(instance), parse_float=DecimalText))


def own_mosp(instance: MospInstance) -> OwnMospInstance:
    """Return the instance as read from its file."""
    return read_mosp(json.loads(dumps(instance), parse_float=DecimalText))
