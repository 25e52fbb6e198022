"""Heuristics of co-allocation: the queues of the paper in `list_scheduling`, and `patient`, for links that slow down.

They stand on `list_engine` (a queue onto the grid, as time passes) and `placement` (which nodes a job takes). `search`
holds the local searches of the exact method.
"""
