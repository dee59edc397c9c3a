"""The exercise memory-ledger."""
