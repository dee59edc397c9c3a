"""Beside a learner's code while it is graded: nothing here is trusted, and nothing here judges."""
