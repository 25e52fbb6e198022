"""Heuristics of co-allocation: in `list_scheduling` the queues of the paper, and PATIENT for links that slow jobs down.

They use `list_engine`, which places the jobs of a queue on the grid over time and selects their nodes.
"""
