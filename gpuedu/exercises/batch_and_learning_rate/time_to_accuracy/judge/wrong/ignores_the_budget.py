# loses: budget
# asks: Where do you count them? One function that all runs go through can refuse.
search = one_after_the_other
