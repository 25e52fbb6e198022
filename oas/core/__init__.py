"""The types that all packages share: problem, instance, schedule, verifier, result. No solver, no file format."""
