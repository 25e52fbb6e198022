"""Studies: comparison of methods, appraisal of logs, price of locality, slot sizes, claims of the papers."""
