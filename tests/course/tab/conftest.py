"""What stands for the browser's database."""

import pytest


class Planted:
    """The same calls as ``keeping.js`` has, over dictionaries; with ``fault`` each raises it."""

    def __init__(self, fault=None):
        self.stores = {"events": {}, "released": {}}
        self.fault = fault

    async def all(self, store):
        if self.fault:
            raise self.fault
        return list(self.stores[store].values())

    async def get(self, store, name):
        return self.stores[store].get(name)

    async def put(self, store, name, text):
        self.stores[store][name] = text


@pytest.fixture
def database():
    return Planted()


@pytest.fixture
def broken_database():
    return Planted(OSError("a window without storage"))
