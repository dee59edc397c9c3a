# loses: start
# every copy begins elsewhere
def start(model):
    pass
