"""The learner's workspace: laid out once, updated without ever losing an answer."""
