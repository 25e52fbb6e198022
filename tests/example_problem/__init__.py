"""A third problem that no file of the toolkit knows: identical parallel machines, P‖Cmax."""
