"""The figures of MOSP that studies of every problem use."""
