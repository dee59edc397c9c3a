"""The exercise cost-and-energy."""
