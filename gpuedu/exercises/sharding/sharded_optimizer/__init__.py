"""The exercise sharded-optimizer."""
