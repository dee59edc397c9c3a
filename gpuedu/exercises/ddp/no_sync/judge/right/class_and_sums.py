# the context is a class, which `with` takes as it is
class no_sync:
    def __init__(self, parallel):
        self.parallel = parallel

    def __enter__(self):
        self.found, self.parallel.is_exchanging = self.parallel.is_exchanging, False

    def __exit__(self, *what):
        self.parallel.is_exchanging = self.found
