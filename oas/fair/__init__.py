"""Fair scheduling by contribution: instance, ticks, rules, utilities, objectives, tables."""
