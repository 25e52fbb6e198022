"""The contracts: instances, schedules, the verifier, results. Nothing here knows a solver or a file format."""
