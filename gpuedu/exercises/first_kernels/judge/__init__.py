"""What judges of this lesson share. No learner's code can read this folder."""
