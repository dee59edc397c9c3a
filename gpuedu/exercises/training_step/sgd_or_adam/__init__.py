"""The exercise sgd-or-adam."""
