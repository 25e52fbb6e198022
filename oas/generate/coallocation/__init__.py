"""Generators of co-allocation instances: one module exporting GENERATOR is one generator."""
