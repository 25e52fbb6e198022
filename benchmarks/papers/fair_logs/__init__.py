"""The fair scheduling paper's experiments on job logs: table 1 and figures 4 and 5, with intervals and paired tests."""
