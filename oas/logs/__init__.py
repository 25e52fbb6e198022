"""Job logs: read them, convert them to data frames, and cut instances out of them.

log = oas.logs.read("KTH-SP2-1996-2.1-cln.swf.gz")
log.to_frame()                                  # one row per job
log.to_instance(4, count=40)                    # 4 organizations sharing clusters, as `oas convert`
log.to_instance(oas.logs.organizations("departments.csv"))
log.windows(jobs=15)[0].instance                # one cluster and its observed schedule, as `oas appraise`

oas.logs.stream("KTH-SP2-1996-2.1-cln.swf.gz")  # a million jobs as arrays, for `oas.simulate`
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from oas.logs.log import Log, read
from oas.logs.membership import read_membership as organizations

if TYPE_CHECKING:
    from oas.logs.streams import read_stream as stream

__all__ = ["Log", "organizations", "read", "stream"]

if not TYPE_CHECKING:  # numpy is imported on first use

    def __getattr__(name: str) -> object:
        if name != "stream":
            raise AttributeError(f"module 'oas.logs' has no attribute {name!r}")
        from oas.logs.streams import read_stream

        return read_stream
