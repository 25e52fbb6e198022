"""Mutation testing of the exact core: `mutation.toml` lists the changed modules, `faults.toml` former faults."""
