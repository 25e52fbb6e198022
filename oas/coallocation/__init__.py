"""Co-allocation of rigid parallel jobs over clusters: instance, ticks, runs, rules, metrics."""
