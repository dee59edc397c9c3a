"""The exercise hybrid-shard."""
