"""Adversaries of the certificates of MOSP: no certificate, however it is made, may prove more than the optimum.

`instances` draws instances and enumerates their optima without the checker; `certificates` makes the certificates.
"""
