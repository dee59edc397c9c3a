"""The exercise train-digits."""
