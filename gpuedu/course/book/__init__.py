"""The course as a book: a static site of all lessons with what their cells give.

``run`` executes a solved lesson, and each check on a wrong answer too; what comes out is kept, as
long as nothing changes that it depends on. ``page`` makes of it what a learner sees, ``glossary``
and ``exercise_list`` gather what is spread over the lessons, ``site`` lays all of it out for
Sphinx.
"""
