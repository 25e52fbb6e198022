"""Heuristics of co-allocation, all defined in `list_scheduling`.

They stand on `list_engine` (a queue onto the grid, as time passes) and `placement` (which nodes a job takes). `search`
holds the local searches of the exact method.
"""
