# loses: grid-limits
# a text is no answer
def can_launch(grid, block):
    return "yes"
