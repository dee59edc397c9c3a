"""What a class's verdicts say together: where it is stuck, on what, and who wrote the same."""
