"""The exercise roofline."""
