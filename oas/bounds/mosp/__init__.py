"""Lower bounds on the makespan of MOSP instances, all with clusters of different sizes.

Functions of the instance alone: area, longest job, high jobs, dual feasible functions, k-longest, the papers' LB. None
needs locality, so each holds at every one; all but the paper's and k-longest take releases and reservations into
account. Found by column generation, with certificates: configurations (releases, reservations), two-dimensional and
cluster sets (deadlines of locality, or releases).
"""
