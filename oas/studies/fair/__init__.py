"""Studies of fair scheduling by contribution: policies beside the exact reference, the price of fairness."""
