"""Sharding: optimizer, gradients and weights that no rank has as a whole."""
