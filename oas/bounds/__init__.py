"""Lower bounds with certificates, one a file."""
