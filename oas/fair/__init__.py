"""Fair scheduling by contribution: instance, ticks, utilities, runs, rules, metrics."""
