"""The exercise offload."""
