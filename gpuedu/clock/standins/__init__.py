"""Threads, queues, locks and sleep on a virtual clock, with the interface of Python's own.

Code that was written for ``threading``, ``queue``, ``time`` and ``concurrent.futures`` runs on
these unchanged (:func:`gpuedu.clock.lend` swaps them in): each module here offers what its
``__all__`` names, behaves like the original, and takes simulated time instead of real time. Used in
a thread that is not on a clock, each raises ClockError.
"""
