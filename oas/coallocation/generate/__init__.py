"""Generators of co-allocation instances: modules export them as GENERATORS."""
