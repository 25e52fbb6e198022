"""Types shared by all packages: problem, instance, schedule, verifier and result, without solvers and file formats."""
