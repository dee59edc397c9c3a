# loses: budget
search = one_after_the_other
