"""The exercise sharded-gradients."""
