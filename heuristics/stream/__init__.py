"""Queueing policies for streams of a million jobs on one machine with reservations."""
