"""Streams of rigid jobs on one machine: queueing policies, and the promises that each of them keeps."""
