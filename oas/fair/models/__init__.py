"""Model of fair sharing for the price of fairness: optimal schedules for one objective."""
