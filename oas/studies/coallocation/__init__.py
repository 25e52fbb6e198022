"""The figures of co-allocation that studies of every problem use."""
