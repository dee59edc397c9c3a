"""``cp`` where there is no GPU: CuPy's names for arrays that live in gpuedu's device memory.

``gpuedu.arrays.cupy`` is the module that a learner calls ``cp``; NumPy does the arithmetic. An
array is ``ndarray.ndarray``: its elements are out of the host's reach but by copies, which
``gpuedu.backend.transfers`` tells. ``memory`` knows who holds how many bytes, ``account`` how many
kernels were launched and what they moved.

Values, shapes and dtypes are NumPy's (CuPy holds itself to them), and so are the errors of most
wrong arguments. As CuPy documents ("Differences between CuPy and NumPy", and its functions), an
array and NumPy differ in these points, here as there:

- a reduction gives an array without axes, never a NumPy scalar; ``float(a)`` copies it;
- host arrays and lists are refused as operands, and so is taking an array for a host array;
- an index array may point outside: it wraps around instead of raising, as in ``take`` and ``put``;
- writing to the same place twice with an index array leaves one of the values, undefined which
  (here the last one);
- dtypes are booleans, integers, floats and complex numbers of at most 8 bytes a part: no text,
  no objects, no dates, no long doubles;
- no warnings of overflows, divisions by zero or invalid values;
- casting a float that is too large for an integer type is undefined: here it is what this
  computer's processor makes of it;
- ``eig`` gives complex numbers always, ``i0`` and ``sinc`` of small integers give small floats,
  logical functions take no complex numbers; results are in C order.

Where CuPy lets something pass that hides a mistake, this is stricter: a host array as the operand
of a reduction, a singular matrix, bins out of order, a fraction as an index. It also differs in
that the generators of ``cp.random`` draw other numbers from a seed (of the same distributions), in
that memory of ``cp.empty`` holds NaN (or 93, in integers), and in that CuPy's few functions for
complex ``arctan2`` or boolean ``gcd`` are NumPy's errors. What CuPy has and this has not raises
``errors.NotInStandInError``, by name; what CuPy lacks, too, is an AttributeError.
"""
