"""Generators of MOSP instances: modules export them as GENERATORS."""
