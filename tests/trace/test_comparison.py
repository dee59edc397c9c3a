import dataclasses

import pytest

from gpuedu.trace import Source
from gpuedu.trace.comparison import Change, compare
from tests.trace import samples


def test_a_trace_against_itself_has_no_change():
    trace = samples.transpose()
    found = compare(trace, trace)
    assert found.lines == found.gained == found.lost == ()
    assert all(change.difference == 0 and change.ratio == 1 for change in found.totals)


def test_padding_takes_the_conflicts_away_and_nothing_else():
    found = compare(samples.transpose(32), samples.transpose(33))
    assert (found["bank conflicts"].before, found["bank conflicts"].after) == (32 * 31, 0)
    assert (found["wavefronts"].before, found["wavefronts"].after) == (32 * 33, 64)
    assert found["sectors"].difference == 0
    (line,) = found.lines
    assert line.text == "out[y, x] = tile[x, y]" and line.before == line.after
    assert {change.measure for change in line.changes} == {"wavefronts", "bank conflicts"}


def test_stride_shows_in_sectors():
    found = compare(samples.strided(8), samples.strided(1))
    assert found["sectors"].before == 2 * (32 + 4)
    assert found["sectors"].after == 2 * (4 + 4)
    assert found["sectors"].ratio == pytest.approx(16 / 72)


def moved(trace, lines, text=None):
    """The same launch, its kernel written further down its cell."""
    (source,) = trace.launch.sources
    text = text or source.text
    launch = dataclasses.replace(
        trace.launch,
        sources=(Source(source.function, source.file, source.first_line + lines, text),),
    )
    shift = lambda record: dataclasses.replace(  # noqa: E731
        record, place=dataclasses.replace(record.place, line=record.place.line + lines)
    )
    return dataclasses.replace(
        trace,
        launch=launch,
        lines=tuple(map(shift, trace.lines)),
        sites=tuple(map(shift, trace.sites)),
        findings=tuple(map(shift, trace.findings)),
    )


def test_lines_are_matched_by_text_wherever_they_stand():
    found = compare(samples.racing(), moved(samples.racing(), 7))
    assert found.lines == found.gained == found.lost == ()


def test_a_rewritten_line_is_gone_and_new():
    after = moved(
        samples.strided(), 0, samples.STRIDED.replace("a[i * stride] * 2.0", "2.0 * a[i]")
    )
    found = compare(samples.strided(), after)
    gone, new = found.lines
    assert (gone.after, new.before) == (None, None)
    assert gone.counts_before == new.counts_after
    assert "line 5, gone" in str(found) and "new line 5" in str(found)


def test_findings_gained_and_lost():
    racing = samples.racing()
    mended = dataclasses.replace(racing, findings=racing.findings[1:])
    assert [f.kind for f in compare(racing, mended).lost] == ["data-race"]
    assert [f.kind for f in compare(mended, racing).gained] == ["data-race"]
    assert "gone: data-race: thread 31 reads" in str(compare(racing, mended))


def test_device_functions_are_matched_by_name():
    def with_helper(trace, name):
        sources = (*trace.launch.sources, Source(name, "kernel.py", 20, "def f(x):\n    return x"))
        launch = dataclasses.replace(trace.launch, sources=sources)
        line = dataclasses.replace(
            trace.lines[0], place=dataclasses.replace(trace.lines[0].place, function=name, line=21)
        )
        return dataclasses.replace(trace, launch=launch, lines=(*trace.lines, line))

    same = compare(*[with_helper(samples.strided(), "f")] * 2)
    other = compare(with_helper(samples.strided(), "f"), with_helper(samples.strided(), "g"))
    assert same.lines == ()
    assert [line.text for line in other.lines] == ["return x", "return x"]


def test_an_unknown_measure_names_the_known_ones():
    found = compare(samples.strided(), samples.strided())
    with pytest.raises(KeyError, match="bank conflicts"):
        found["speed"]


def test_from_nothing_the_ratio_is_infinite():
    assert Change("sectors", 0, 3).ratio == float("inf")
    assert Change("sectors", 0, 0).ratio == 1.0
