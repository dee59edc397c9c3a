"""What is not covered is refused with its line and in words, never by a fault of this package."""

from __future__ import annotations

import numpy as np
import pytest

from gpuedu.errors import KernelSourceError
from gpuedu.simt import simulate
from gpuedu.simt.cuda_c import CudaCKernel
from tests.simt.cuda_c.constructs import REFUSED


@pytest.mark.parametrize("name", REFUSED)
def test_a_construct_is_refused_by_line_and_name(name: str):
    code, line, words = REFUSED[name]
    with pytest.raises(KernelSourceError) as caught:
        simulate(CudaCKernel(code, "k"), 1, 32, np.zeros(32, np.int32))
    assert caught.value.line == line
    assert words in str(caught.value)
