"""Exercises: the contract, the checks of a notebook, and per lesson a play and a judge."""
