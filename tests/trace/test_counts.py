from gpuedu.trace.counts import Counts, count_line, count_site
from tests.trace import samples


def test_counts_add_field_by_field():
    a = Counts(executions=1, sectors=3, ideal_sectors=2, excess_sectors=1)
    b = Counts(executions=10, flop=4, ideal_sectors=2)
    assert a + b == Counts(executions=11, flop=4, sectors=3, ideal_sectors=4, excess_sectors=1)
    assert (a + b).sectors_ratio == 5 / 4


def test_a_site_counts_in_its_own_memory():
    trace = samples.transpose()
    sites = {site.text: count_site(site) for site in trace.sites}
    assert sites["a[y, x]"].global_requests == 32 and sites["a[y, x]"].shared_requests == 0
    assert sites["tile[x, y]"].shared_bytes == 4096 and sites["tile[x, y]"].global_bytes == 0
    assert sites["tile[x, y]"].conflicts == 32 * 31
    assert sites["tile[x, y]"].wavefronts_ratio == 32


def test_a_line_is_its_own_count_and_its_sites():
    trace = samples.histogram(4)
    line = next(line for line in trace.lines if line.place.line == 4)
    counts = count_line(line, trace.sites)
    assert (counts.executions, counts.lanes, counts.mean_lanes) == (2, 64, 32)
    assert (counts.requests, counts.atomic_requests, counts.same_address_lanes) == (4, 2, 16)


def test_nothing_has_neutral_ratios():
    none = Counts()
    assert (none.sectors_ratio, none.wavefronts_ratio, none.mean_lanes) == (1.0, 1.0, 0.0)
