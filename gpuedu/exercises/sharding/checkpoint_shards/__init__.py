"""The exercise checkpoint-shards."""
