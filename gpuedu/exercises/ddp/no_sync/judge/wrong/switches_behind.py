# loses: block
# asks: What does `Parallel.backward` look at, and when does your function change it?
@contextmanager
def no_sync(parallel):
    yield
    parallel.is_exchanging = False
