"""The claims of the OAS, MOCCA and MOLBA papers: what is printed, what is found, and the verdict on each."""
