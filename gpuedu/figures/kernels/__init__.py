"""Pictures of what a kernel did: accesses, lanes, banks, source with its costs, hazards."""
