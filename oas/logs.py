"""Job logs: read, looked at as data frames, made into instances.

log = oas.logs.read("KTH-SP2-1996-2.1-cln.swf.gz")
log.to_frame()                                  # a row a job
log.to_instance(organizations=4, count=40)      # organizations that share clusters, as `oas convert`
log.windows(jobs=15)[0].instance                # one cluster, with the schedule observed, as `oas appraise`
"""

from __future__ import annotations

from oas.io.logs.log import Log, read

__all__ = ["Log", "read"]
