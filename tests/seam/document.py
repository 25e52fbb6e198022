"""How files hold identical machines."""

from typing import Literal

from oas.io.documents import DocumentStruct, Version
from oas.io.instances import InstanceFormat
from tests.seam.instance import machines


class MachinesDocument(DocumentStruct, frozen=True, kw_only=True, tag_field="format", tag="oas-instance"):
    """Identical machines."""

    version: Version
    problem: Literal["machines"]
    name: str = ""
    machines: int
    times: list[int]


def read(document):
    return machines(document.machines, document.times, document.name)


def write(instance):
    times = [job.time for job in instance.jobs]
    return MachinesDocument(version=1, problem="machines", name=instance.name, machines=instance.machines, times=times)


FORMAT = InstanceFormat(MachinesDocument, read, write)
