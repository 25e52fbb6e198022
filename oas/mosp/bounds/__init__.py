"""Lower bounds on the makespan of MOSP instances, with clusters of equal or different sizes.

Combinatorial bounds ignore locality, so they hold for every value of it. The paper's uses neither releases nor
reservations, k-longest no reservations, the others both. Of the certified bounds, configurations and start tree use
releases and reservations, two-dimensional and partitions deadlines of locality or releases.
"""
