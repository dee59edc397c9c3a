# loses: start
# asks: Every rank made its model from another seed. The same gradient moves all copies alike,
#   and they stay as far apart as they began.
def start(model):
    pass
