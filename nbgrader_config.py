"""nbgrader reads this file when it is run from here: the checkout is the course.

What a class sets for itself goes into ``nbgrader_local.py`` beside it, which git ignores.
"""

from gpuedu.course.nbgrader_settings import configure

configure(get_config())  # noqa: F821
load_subconfig("nbgrader_local.py")  # noqa: F821  (nothing where there is none)
