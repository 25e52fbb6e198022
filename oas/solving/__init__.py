"""The exact pipeline: start, bounds, exact search, model, verification; a folder for each problem."""
