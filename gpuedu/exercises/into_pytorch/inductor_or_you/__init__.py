"""The exercise inductor-or-you."""
