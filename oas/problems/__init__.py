"""The definitions of the problems, a folder for each."""
