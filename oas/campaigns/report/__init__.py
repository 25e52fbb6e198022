"""The report of a campaign: tables, figures and one HTML page, from its ledger."""
