"""Campaigns: instances x methods x limits declared in a file, run by any number of processes into a ledger."""
