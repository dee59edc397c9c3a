# loses: budget
# one after the other, as given: 8 + 12 - 1 runs whatever the budget is
search = one_after_the_other
