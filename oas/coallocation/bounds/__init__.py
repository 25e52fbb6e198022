"""Lower bounds on the makespan of co-allocation instances."""
