"""What is missing when a class is graded: no play needs it, and answers could be read in it."""
