# must lose: memory
order = {"slowest": "A", "second": "C", "third": "D", "fastest": "E"}


def limit_of(account):
    return "device memory"
