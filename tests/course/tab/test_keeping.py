"""What the browser keeps comes back as it was; what cannot be read costs only itself."""

import asyncio
import json
from datetime import UTC, datetime

from gpuedu.course.tab.keeping import Keeping
from gpuedu.exercises.progress.events import Kind, new_event
from tests import asynchronous

BODY = {"points": 2.5, "max_points": 4, "properties": {"right": True}, "seconds": 0.25}


def event(name="blocks", **changed):
    return new_event(Kind.ATTEMPT, name, datetime(2026, 3, 1, 9, 30, tzinfo=UTC), BODY | changed)


def kept(database, *events):
    """Keep events as a cell does, and read all that is there."""

    async def session():
        keeping = Keeping(database)
        for one in events:
            keeping.keep_event(one)
        await asyncio.gather(*keeping._pending)
        assert not keeping._pending
        return await Keeping(database).events()

    return asynchronous.run(session())


def test_events_come_back_as_they_were(database):
    events = [event(), event("grid-stride", points=4.0)]
    assert kept(database, *events) == events
    assert set(database.stores["events"]) == {one.id for one in events}


def test_nothing_kept_is_no_event(database):
    assert kept(database) == []


def test_an_event_that_cannot_be_read_is_left_out_alone(database):
    whole = event()
    foreign = json.dumps({**vars(event()), "kind": "of another release"})
    database.stores["events"] |= {"a": "{cut off", "b": foreign, "c": "[1]"}
    assert kept(database, whole) == [whole]


def test_a_released_notebook_is_kept_by_its_name(database):
    async def session():
        keeping = Keeping(database)
        before = await keeping.released("02.ipynb")
        await keeping.keep_released("02.ipynb", "{}")
        return before, await keeping.released("02.ipynb"), await keeping.released("03.ipynb")

    assert asynchronous.run(session()) == (None, "{}", None)
