"""Multi-organization scheduling: instance, ticks, runs, rules, metrics, local schedules."""
