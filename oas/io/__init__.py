"""File formats: the only room that knows them."""
