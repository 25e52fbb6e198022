"""The command line: arguments in, a study or a solve, a table out."""
