"""The exercise kv-cache."""
