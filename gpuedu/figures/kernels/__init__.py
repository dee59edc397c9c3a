"""Pictures of what a kernel did: accesses, lanes, banks, hazards."""
