"""The claims of the papers that are reproduced: the printed value, the value found, and the verdict on each."""
