"""Heuristics of co-allocation: the queues of the paper and PATIENT, for links that slow down, in `list_scheduling`.

They stand on `list_engine` (a queue onto the grid, as time passes, and which nodes a job takes). `search` holds the
local searches of the exact method.
"""
