"""Lower bounds with certificates, one module each; a folder for each problem."""
