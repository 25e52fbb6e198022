"""Generators of MOSP instances: one module exporting GENERATOR is one generator."""
