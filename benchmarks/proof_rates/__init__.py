"""How many instances are proven optimal in how much time, by kind of instance."""
