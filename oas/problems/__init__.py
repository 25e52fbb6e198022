"""The problems: what defines each of them, in a folder of its name."""
