"""Controls in a notebook on an instance of co-allocation: figures computed in the background, and their widget."""
