"""Multi-organization scheduling: instance, ticks, runs, rules, local schedules, tables."""
