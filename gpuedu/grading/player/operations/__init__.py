"""A learner's function of PyTorch tensors, as the program of operations that it carried out.

In the learner's process each operation of a call is seen below autograd and autocast, and recorded.
The record goes to the machine player, where none of the learner's Python runs, and is carried out
there on the play's own tensors, under whatever watches the play has entered. So what a play
observes (values, dtypes, kernels) comes from what was carried out there; a forged record is just
another program, which has to compute the right result by the right operations.

- ``operands``: tensors in messages;
- ``numbering``: numbers for tensors and random generators;
- ``programs``: steps in messages;
- ``recorder``: the learner's side;
- ``executor``: the machine's side, which trusts nothing, and carries out what
  ``gpuedu.training.operations`` lists.
"""
