"""The exercise coalesced-copy."""
