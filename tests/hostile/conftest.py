from tests.grading.conftest import zygote

__all__ = ["zygote"]
