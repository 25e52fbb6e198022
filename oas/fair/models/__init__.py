"""Models of fair scheduling by contribution: the best schedules that fairness is priced against."""
