# loses: nested
# asks: An exception comes out of the `yield`, and what stands behind it is skipped. Where does
#   it have to stand to run in any case?
@contextmanager
def no_sync(parallel):
    before = parallel.is_exchanging
    parallel.is_exchanging = False
    yield
    parallel.is_exchanging = before
