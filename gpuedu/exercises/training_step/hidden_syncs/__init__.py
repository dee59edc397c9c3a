"""The exercise hidden-syncs."""
