"""The profiler's CSV. The samples are written by hand after Nsight Compute's documentation of its
output pages, with kernel names as Numba's compiler makes them; no GPU printed them."""

import pytest

from tests.gpu import ncu
from tests.gpu.case import Case
from tests.gpu.counters import COUNTERS, from_metrics, metrics
from tests.gpu.kernels import CASES

LOADS, STORES = COUNTERS["global load sectors"].metrics[0], "smsp__inst_executed.sum"
PREFIX = "tests::gpu::kernels::streams::"
MANGLED = "_ZN5tests3gpu7kernels5lanes5weighB2v4B106cw51cXTLSUwv1sDUaKthqaNgoE5ArrayIiLi1E1CE"

RAW = f"""==PROF== Connected to process 4711 (/usr/bin/python3.11)
the program's own words, "quoted" ones too
==PROF== Profiling "scale_strided" - 0: 0%....50%....100% - 3 passes
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","{LOADS}","{STORES}"
"","","","","","","","","","","","sector","inst"
"0","4711","python3.11","127.0.0.1","{PREFIX}scale_strided[abi:v1](Array<float, 1, C, mutable, aligned>, long long)","1","7","(128, 1, 1)","(16, 1, 1)","0","9.0","1,024","256"
"2","4711","python3.11","127.0.0.1","{MANGLED}","1","7","(128, 1, 1)","(8, 1, 1)","0","9.0","125","n/a"
"1","4711","python3.11","127.0.0.1","{PREFIX}scale_strided[abi:v1](Array<float, 1, C, mutable, aligned>, long long)","1","7","(128, 1, 1)","(16, 1, 1)","0","9.0","512","256"
==PROF== Disconnected from process 4711
"""

DETAILS = f'''"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"
"0","4711","python3.11","127.0.0.1","{PREFIX}copy[abi:v2](Array<float, 1, C>)","1","7","(50, 1, 1)","(41, 1, 1)","0","7.5","Command line profiler metrics","{LOADS}","sector","314"
"0","4711","python3.11","127.0.0.1","{PREFIX}copy[abi:v2](Array<float, 1, C>)","1","7","(50, 1, 1)","(41, 1, 1)","0","7.5","Command line profiler metrics","{STORES}","inst","(!) n/a"
'''

FORBIDDEN = """==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU \
Performance Counters on the target device 0. For instructions on enabling permissions see \
https://developer.nvidia.com/ERR_NVGPUCTRPERM
==PROF== Disconnected from process 4711
"""


def case(name, function):
    return Case(name, function, 1, 32, lambda: (), lambda: None)


def scale_strided():
    pass


def weigh():
    pass


def test_the_raw_page_is_read_in_order_of_launches():
    launches = ncu.read_csv(RAW)
    assert [launch.number for launch in launches] == [0, 1, 2]
    assert launches[0].metrics == {LOADS: 1024, STORES: 256}
    assert launches[2].metrics == {LOADS: 125}


def test_the_details_page_is_read_too():
    (launch,) = ncu.read_csv(DETAILS)
    assert launch.metrics == {LOADS: 314}
    assert ncu.is_kernel(launch.kernel, "copy")


def test_cases_that_share_a_kernel_are_told_apart_by_their_order():
    cases = [case("stride 4", scale_strided), case("weigh", weigh), case("stride 2", scale_strided)]
    found, problems = ncu.by_case(ncu.read_csv(RAW), cases)
    assert {name: values[LOADS] for name, values in found.items()} == {
        "stride 4": 1024,
        "stride 2": 512,
        "weigh": 125,
    }
    assert not problems


def test_a_launch_too_few_is_told_and_not_guessed():
    cases = [case(name, scale_strided) for name in "abc"]
    found, problems = ncu.by_case(ncu.read_csv(RAW), cases)
    assert not found
    assert problems == ["scale_strided: 2 launches seen, 3 expected"]


@pytest.mark.parametrize("text", ["", FORBIDDEN, "==PROF== No kernels were profiled."])
def test_without_a_table_there_are_no_launches(text):
    assert ncu.read_csv(text) == []


def test_refused_counters_are_recognized():
    assert ncu.is_forbidden(FORBIDDEN)
    assert not ncu.is_forbidden(RAW)
    assert len(ncu.complaints(FORBIDDEN)) == 1


def test_metrics_that_the_device_lacks_are_named():
    text = f"==ERROR== Failed to find metric {LOADS}\n==ERROR== Failed to find metric b__c.sum."
    assert ncu.unknown_metrics(text) == [LOADS, "b__c.sum"]


@pytest.mark.parametrize(
    ("name", "is_it"),
    [
        (MANGLED, True),
        ("weigh", True),
        ("void weigh<int, (bool)1>(int *)", True),
        ("tests::gpu::kernels::lanes::weigh[abi:v4](Array<int, 1, C>)", True),
        ("tests::gpu::weigh::other[abi:v4](Array<int, 1, C>)", False),
        ("_ZN5tests3gpu14do_not_weighE", False),
        ("weigh_more(Array<int, 1, C>)", False),
    ],
)
def test_a_kernel_is_known_by_its_name_mangled_or_not(name, is_it):
    assert ncu.is_kernel(name, "weigh") is is_it


def test_a_counter_is_the_sum_of_its_metrics_and_absent_without_one_of_them():
    atom, red = COUNTERS["global atomic requests"].metrics
    assert from_metrics({atom: 2, red: 30}) == {"global atomic requests": 32}
    assert from_metrics({atom: 2}) == {}


def test_the_command_asks_for_every_metric_once():
    command = ncu.command("ncu", metrics(), "log")
    asked = command[command.index("--metrics") + 1].split(",")
    assert len(asked) == len(set(asked)) == sum(len(c.metrics) for c in COUNTERS.values())


def test_every_prediction_names_a_counter():
    assert {p.counter for c in CASES for p in c.predictions} <= set(COUNTERS)
