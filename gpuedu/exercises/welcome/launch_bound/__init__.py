"""The exercise launch-bound."""
