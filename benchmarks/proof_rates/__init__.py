"""Proof rates: the share of instances proven optimal and the time it takes, by kind of instance."""
