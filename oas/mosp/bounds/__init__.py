"""Lower bounds on the makespan of MOSP instances, with clusters of equal or different sizes.

Combinatorial bounds ignore locality, so they hold for every value of it; all except the paper's and k-longest use
releases and reservations. Certified bounds come from column generation: configurations (releases, reservations),
two-dimensional and partitions (deadlines of locality, or releases).
"""
