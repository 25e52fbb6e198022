"""Mutation testing of the exact core: `mutation.toml` says what is changed, `faults.toml` holds former faults."""
