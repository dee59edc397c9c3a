import numpy as np
import pytest

from gpuedu.errors import AnswerError
from gpuedu.exercises.why_gpus.parallel_cpu.measure import measure_saxpy
from gpuedu.figures.style import alt_text
from tests.exercises.parts import measures_of, pictures_of

MEASURES = measures_of("why-gpus")

PICTURES = pictures_of("why-gpus")

SIZES = {"n": 5003, "python_n": 301}


def right(a, x, y, out):
    out[:] = a * x + y


def test_times_are_per_element_finite_and_positive():
    times = measure_saxpy(right, **SIZES)
    assert set(times) == {"python_ns", "numpy_ns", "one_core_ns", "all_cores_ns", "cores", "n"}
    assert all(np.isfinite(value) and value > 0 for value in times.values())
    assert times["n"] == 5003 and times["cores"] >= 1


def test_its_result_can_be_drawn():
    assert "pure Python" in alt_text(PICTURES["parallel-cpu"](measure_saxpy(right, **SIZES)))


def test_the_learners_function_gets_float32_arrays_and_is_called_on_all_elements():
    seen = set()

    def watched(a, x, y, out):
        seen.update(((type(a), x.dtype.name, y.dtype.name, out.dtype.name), len(x)))
        right(a, x, y, out)

    measure_saxpy(watched, **SIZES)
    assert seen == {(np.float32, "float32", "float32", "float32"), 1001, 5003}


@pytest.mark.parametrize(
    "wrong",
    [
        lambda a, x, y, out: None,
        lambda a, x, y, out: np.multiply(a, x, out=out),
        lambda a, x, y, out: right(a, x[:-1], y[:-1], out[:-1]),
    ],
)
def test_a_wrong_result_is_not_timed(wrong):
    with pytest.raises(AnswerError, match=r"element \d+ is .* instead of"):
        measure_saxpy(wrong, **SIZES)


def test_numba_is_imported_only_when_it_is_needed():
    import subprocess
    import sys

    code = (
        "import sys; import gpuedu.exercises.why_gpus.parallel_cpu.measure;"
        "import gpuedu.exercises.why_gpus.pictures;"
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_table_names_the_exercise():
    assert {"parallel-cpu": measure_saxpy} == MEASURES
