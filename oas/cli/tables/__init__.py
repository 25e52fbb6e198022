"""The output of the commands: tables and text charts."""
