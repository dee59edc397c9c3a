"""The exercise dtensor-in-practice."""
