# loses: nested
# an exception leaves the exchange off
@contextmanager
def no_sync(parallel):
    before = parallel.is_exchanging
    parallel.is_exchanging = False
    yield
    parallel.is_exchanging = before
