"""The exercise occupancy."""
