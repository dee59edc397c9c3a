"""``cp`` and simulated devices where a learner's code is graded: names here, objects there.

In the learner's process ``cp`` has proxies. Arrays, what is done to them, and the account of it are
in the machine player, where none of the learner's Python runs. So is a simulated device that a play
hands over: ``gpuedu.clock.StreamDevice`` with its streams, events and buffers, or
``gpuedu.clock.GraphDevice`` with its graphs and tensors. Messages between the two go by way of the
judge, and are plain values:

- ``values``: what a message consists of; ``faults``: exceptions in it;
- ``names``: what may be asked for by name;
- ``server``: the device's side, which executes what is asked, if it may be;
- ``link``, ``proxies``, ``modules``: the learner's side;
- ``clock_server``, ``clock_link``: a play's simulated clock, on which learners' threads wait;
- ``lent``, ``iterators``: what else a play hands over, and iterators that it is given.

The account counts what arrives. Proxies that die are reported with the next message, before it is
executed, so memory is freed before the next allocation, as it would be in one process.
"""
