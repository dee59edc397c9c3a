"""nbgrader reads this file when it is run from here: the checkout is the course."""

from gpuedu.course.nbgrader_settings import configure

configure(get_config())  # noqa: F821
