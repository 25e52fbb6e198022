"""Side-by-side measurements of speed and strength."""
