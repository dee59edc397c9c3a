"""The exercise aos-to-soa."""
