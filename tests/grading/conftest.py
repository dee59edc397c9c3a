import pytest

from gpuedu.errors import GpueduError


@pytest.fixture(scope="session")
def zygote():
    """The warm process in a real sandbox; skipped where bubblewrap or control groups are not."""
    from gpuedu.grading.judge.zygote import Zygote
    from gpuedu.grading.sandbox.availability import require_sandbox

    try:
        require_sandbox()
    except GpueduError as why:
        pytest.skip(str(why))
    made = Zygote()
    made.prepare("welcome", "")  # it is there when a test counts processes
    yield made
    made.end()
