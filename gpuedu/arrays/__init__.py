"""``cp`` where there is no GPU: CuPy's names for arrays that live in gpuedu's device memory.

``gpuedu.arrays.cupy`` is the module that a learner calls ``cp``; NumPy does the arithmetic. An
array is ``ndarray.ndarray``: the host can reach its elements only by copies, which
``gpuedu.backend.transfers`` lists. ``memory`` knows who holds how many bytes, ``account`` how many
kernels were launched and what they moved.

Values, shapes and dtypes are NumPy's (CuPy holds itself to them), and so are the errors of most
wrong arguments. As CuPy documents ("Differences between CuPy and NumPy", and its functions), an
array differs from NumPy's in these points, here as there:

- a reduction gives an array without axes, never a NumPy scalar; ``float(a)`` copies it;
- host arrays and lists are refused as operands, and so is using an array as a host array;
- an index array may point outside: it wraps around instead of raising, as in ``take`` and ``put``;
- writing to the same place twice with an index array leaves one of the values, and which one is
  undefined (here the last);
- dtypes are booleans, integers, floats and complex numbers of at most 8 bytes a part: no text,
  no objects, no dates, no long doubles;
- no warnings of overflows, divisions by zero or invalid values;
- casting a float that is too large for an integer type is undefined: here the result is whatever
  this computer's processor does;
- ``eig`` gives complex numbers always, ``i0`` and ``sinc`` of small integers give small floats,
  logical functions take no complex numbers; results are in C order.

This is stricter where CuPy accepts something that hides a mistake: a host array as the operand of a
reduction, a singular matrix, bins out of order, a fraction as an index. It also differs in that the
generators of ``cp.random`` draw different numbers from a seed (from the same distributions), in
that memory of ``cp.empty`` holds NaN (or 93, in integers), and in that CuPy's few functions for
complex ``arctan2`` or boolean ``gcd`` are NumPy's errors. What CuPy has and this lacks raises
``errors.NotInStandInError``, by name; what CuPy also lacks is an AttributeError.
"""
