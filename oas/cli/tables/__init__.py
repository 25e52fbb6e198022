"""What the commands print: tables and text charts."""
