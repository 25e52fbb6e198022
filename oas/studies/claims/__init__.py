"""The claims of the OAS, MOCCA and MOLBA papers: the printed value, the value found, and the verdict on each."""
