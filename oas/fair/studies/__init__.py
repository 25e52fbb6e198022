"""Studies of fair scheduling by contribution: policies compared with the exact reference, the price of fairness."""
