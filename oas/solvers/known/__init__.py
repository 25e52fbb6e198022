"""Models with known answers, to test solvers before they are trusted."""
