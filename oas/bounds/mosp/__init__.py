"""Lower bounds on the makespan of MOSP instances.

None needs locality, so each holds at every one. All but the paper's and k-longest take releases and reservations into
account; all hold with clusters of different sizes.
"""
