"""The exercise elementwise."""
