"""What ``printf`` shows, and what of its formats is refused with a line."""

from __future__ import annotations

import pytest

from gpuedu.arrays import cupy as cp
from gpuedu.errors import GpueduError

KERNEL = 'extern "C" __global__ void f() {{ printf({}); }}'


def printed(capsys, arguments):
    cp.RawKernel(KERNEL.format(arguments), "f")((1,), (1,), ())
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ('"%c%c\\n", 65, 70000000 + 66 - 70000000 % 256', "AB\n"),
        ('"%d of %5.2f%%\\n", -3, 1.0', "-3 of  1.00%\n"),
        ('"%llx\\n", 0xffffffffffffffffff', "ffffffffffffffff\n"),
    ],
)
def test_what_is_printed(capsys, arguments, shown):
    assert printed(capsys, arguments) == shown


@pytest.mark.parametrize("arguments", ['"%.900000000f", 1.0', '"%n"', 'u8"%d", 1', '"\\\\x", 1'])
def test_what_is_refused(capsys, arguments):
    with pytest.raises(GpueduError, match=r"is not covered|values"):
        printed(capsys, arguments)
