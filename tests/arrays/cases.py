"""Calls of the array API, for NumPy, the stand-in and CuPy alike: expressions, and their inputs.

In an expression `xp` is the module; a and b are (3, 4), v and w are (7,), s is (7,) and sorted, m is
(4, 4) with a large diagonal, p is m's positive definite relative, z is (2, 3, 4), n has NaN where its
dtype can; i are indices within (4,), j are of (3, 2), k is a mask of (3, 4), c is (3, 4) of 0, 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

DTYPES = [
    "bool",
    "int8",
    "uint8",
    "int32",
    "int64",
    "float16",
    "float32",
    "float64",
    "complex64",
    "complex128",
]

CALLS = """
a + b
a - b
a * b
a / b
a // b
a % b
a ** 2
a @ m
-a
abs(a)
~a
a & b
a | b
a ^ b
a << 1
a >> 1
a == b
a != b
a < b
a <= b
a > b
a >= b
a + 1
1 + a
2.5 * a
a - 1
a / 2
2 / a
a * xp.float32(2)
a + xp.int8(3)
divmod(a, b)
a[1]
a[1, 2]
a[:, ::-2]
a[..., None, 1]
a[i]
a[:, i]
a[i[:3], i[:3]]
a[[0, 2]]
a[k]
a[k[:, 0]]
a[1:, [0, 3]]
z[0, :, [1, 2]]
z[:, i[:2], i[1:3]]
a[j]
a[True]
a.T
a.mT
z.transpose(1, 2, 0)
z.transpose((2, 0, 1))
a.real
a.imag
a.conj()
a.ravel()
a.T.ravel()
a.ravel('F')
a.flatten('F')
a.reshape(2, 6)
a.reshape((-1,))
a.T.reshape(3, 4)
a.reshape(4, 3, order='F')
a.copy()
a.view()
a.astype('float32')
a.astype('int8')
a.astype(bool)
a.astype('complex64')
a.sum()
a.sum(axis=1)
a.sum(0, keepdims=True)
z.sum(axis=(0, 2))
a.sum(dtype='float32')
a.prod()
a.mean()
a.mean(axis=0)
a.std()
a.std(axis=1, ddof=1)
a.var()
a.var(axis=0)
a.max()
a.max(axis=1)
a.min()
a.min(0)
a.ptp() if xp.__name__ != 'numpy' else xp.ptp(a)
a.argmax()
a.argmax(axis=1)
a.argmin()
a.argmin(0)
a.all()
a.any(axis=0)
a.cumsum()
a.cumsum(axis=1)
a.cumprod(axis=0)
a.clip(0, 2)
a.clip(1, None)
a.round()
a.round(1)
a.dot(m)
v.dot(w)
a.trace()
a.diagonal()
a.diagonal(1)
a.nonzero()
a.repeat(2)
a.repeat(2, axis=1)
a.swapaxes(0, 1)
a[:, :1].squeeze()
a.take(i)
a.take(i, axis=1)
a.argsort()
a.argsort(axis=0)
s.searchsorted(v)
c.choose(z[:2])
v.compress(v > 1)
a.tolist()
a[1, 2].item()
float(abs(a).sum())
bool(a[0, 0])
len(a)
xp.absolute(a)
xp.add(a, b)
xp.all(a, axis=1)
xp.allclose(a, b)
xp.allclose(a, a)
xp.amax(a)
xp.amin(a, axis=0)
xp.angle(a)
xp.any(a)
xp.append(a, b)
xp.append(a, b, axis=0)
xp.arange(5)
xp.arange(1, 2, 0.25)
xp.arange(3, dtype='float32')
xp.arange(10, 2, -3)
xp.argmax(a)
xp.argmin(a, axis=1)
xp.sort(xp.argpartition(v, 3)[:3])
xp.argsort(v)
xp.argwhere(a)
xp.around(a, 1)
xp.array([[1, 2], [3, 4]])
xp.array([1.5, 2])
xp.array(3)
xp.array([a, b])
xp.array(a, ndmin=3)
xp.array([True, False])
xp.array([1, 2], dtype='uint8')
xp.array_equal(a, b)
xp.array_equiv(a, a)
xp.array_split(v, 3)
xp.asarray(a, dtype='complex128')
xp.ascontiguousarray(a.T)
xp.asfortranarray(a)
xp.astype(a, 'float64')
xp.atleast_1d(v[0])
xp.atleast_2d(v)
xp.atleast_3d(a)
xp.average(a)
xp.average(a, axis=1, weights=abs(m[0]) + 1)
xp.average(v, returned=True)
xp.bartlett(5)
xp.base_repr(10, 3)
xp.binary_repr(10)
xp.bincount(abs(i))
xp.bincount(abs(i), minlength=9)
xp.bincount(abs(i), weights=abs(i) / 2)
xp.bitwise_count(a)
xp.blackman(6)
xp.broadcast_arrays(a, m[0])
xp.broadcast_shapes((3, 1), (4,))
xp.broadcast_to(v, (2, 7))
xp.can_cast('int8', 'int16')
xp.ceil(a)
xp.choose(c, z[:2])
xp.clip(a, 1, 3)
xp.clip(a, 1, b)
xp.column_stack([v, w])
xp.common_type(v / 2)
xp.compress(v > 0, v)
xp.concat([a, b])
xp.concatenate([a, b], axis=1)
xp.concatenate([a, i.reshape(1, 4)])
xp.concatenate([a, b], axis=None)
xp.conj(a)
xp.convolve(v, w)
xp.convolve(v, w, 'same')
xp.copy(a)
xp.copysign(a, b)
xp.corrcoef(a)
xp.correlate(v, w, 'full')
xp.correlate(v, w)
xp.cos(a)
xp.cosh(a)
xp.count_nonzero(a)
xp.count_nonzero(a, axis=0)
xp.cov(a)
xp.cov(v, w)
xp.cross(a[:, :3], b[:, :3])
xp.cumprod(v)
xp.cumsum(v)
xp.cumsum(a, axis=0)
xp.cumulative_prod(v)
xp.cumulative_sum(v, include_initial=True)
xp.delete(v, 2)
xp.diag(v)
xp.diag(a, 1)
xp.diag_indices(3)
xp.diag_indices_from(m)
xp.diagflat(a)
xp.diagonal(z)
xp.diff(v)
xp.diff(a, axis=0)
xp.diff(v, 2)
xp.diff(v, prepend=v[:1])
xp.digitize(v, s)
xp.divide(a, b)
xp.dot(a, m)
xp.dot(v, w)
xp.dsplit(z, 2)
xp.dstack([a, b])
xp.ediff1d(v)
xp.einsum('ij,jk->ik', a, m)
xp.einsum('ij->j', a)
xp.einsum('ii', m)
xp.exp(a)
xp.exp2(a)
xp.expand_dims(a, 1)
xp.expm1(a)
xp.extract(k, a)
xp.eye(3)
xp.eye(3, 4, 1, dtype='int32')
xp.fabs(a)
xp.fft.fft(v)
xp.fft.fft2(a)
xp.fft.fftfreq(5)
xp.fft.fftn(z)
xp.fft.fftshift(v)
xp.fft.hfft(v)
xp.fft.ifft(v)
xp.fft.ifft2(a)
xp.fft.ifftn(a)
xp.fft.ifftshift(v)
xp.fft.ihfft(v)
xp.fft.irfft(v)
xp.fft.irfft2(a)
xp.fft.irfftn(a)
xp.fft.rfft(v)
xp.fft.rfft2(a)
xp.fft.rfftfreq(6)
xp.fft.rfftn(a)
xp.fix(v)
xp.flatnonzero(a)
xp.flip(a)
xp.flip(a, 1)
xp.fliplr(a)
xp.flipud(a)
xp.floor(a)
xp.fmax(n, v)
xp.frexp(v)
xp.full((2, 3), 7)
xp.full(3, 1.5, dtype='float32')
xp.full_like(a, 2)
xp.gcd(a, b)
xp.gradient(v)
xp.gradient(a, axis=0)
xp.greater(a, b)
xp.hamming(4)
xp.hanning(4)
xp.heaviside(a, 0.5)
xp.histogram(v, bins=4)
xp.histogram(v, bins=s[::3] + xp.arange(3).astype(s.dtype))
xp.histogram2d(v, w, bins=3)
xp.histogramdd(xp.stack([v, w]).T, bins=3)
xp.hsplit(a, 2)
xp.hstack([a, b])
xp.hstack([v, w])
xp.hypot(a, b)
xp.i0(v)
xp.identity(3)
xp.imag(a)
xp.indices((2, 3))
xp.inner(a, b)
xp.interp(v, xp.arange(7), w)
xp.intersect1d(v, w)
xp.invert(a)
xp.isclose(a, b)
xp.iscomplex(a)
xp.iscomplexobj(a)
xp.isdtype(a.dtype, 'real floating')
xp.isfinite(n)
xp.isfortran(a)
xp.isin(v, w)
xp.isinf(n)
xp.isnan(n)
xp.isneginf(n)
xp.isposinf(n)
xp.isreal(a)
xp.isrealobj(a)
xp.isscalar(3)
xp.issubdtype(a.dtype, xp.floating)
xp.iterable(a)
xp.ix_(i[:2], i[1:])
xp.kaiser(5, 2.0)
xp.kron(a, b)
xp.lexsort(xp.stack([v, w]))
xp.linalg.cholesky(p)
xp.linalg.cond(m)
xp.linalg.cross(a[:, :3], b[:, :3])
xp.linalg.det(m)
abs(xp.linalg.eigh(p)[1])
xp.linalg.eigh(p)[0]
xp.linalg.eigvalsh(p)
xp.sort(abs(xp.linalg.eigvals(m)))
xp.sort(abs(xp.linalg.eig(p)[0]))
xp.linalg.inv(m)
xp.linalg.lstsq(m, m[:, 0], rcond=None)[0]
xp.linalg.matrix_power(m, 3)
xp.linalg.matrix_rank(m)
xp.linalg.matrix_transpose(z)
xp.linalg.norm(a)
xp.linalg.norm(a, axis=1)
xp.linalg.norm(v, ord=1)
xp.linalg.norm(m, 'fro')
xp.linalg.pinv(a)
abs(xp.linalg.qr(m)[1])
xp.linalg.slogdet(m)
xp.linalg.solve(m, a.T)
xp.linalg.svd(a, compute_uv=False)
xp.linalg.svd(a, full_matrices=False)[1]
xp.linalg.tensorinv(m.reshape(4, 2, 2), ind=1)
xp.linalg.tensorsolve(m, m[0])
xp.linspace(0, 1, 5)
xp.linspace(0, 10, 4, endpoint=False, dtype='float32')
xp.log(a)
xp.log1p(a)
xp.logaddexp(a, b)
xp.logical_and(a, b)
xp.logical_not(a)
xp.logspace(0, 2, 3)
xp.matmul(z, m)
xp.matrix_transpose(z)
xp.max(n)
xp.maximum(a, b)
xp.maximum(a, 2)
xp.mean(a)
xp.mean(a, dtype='float64')
xp.median(a)
xp.median(a, axis=0)
xp.meshgrid(v, w[:3])
xp.meshgrid(v, w[:3], indexing='ij')
xp.mgrid[0:3, 0:2]
xp.min(a)
xp.min_scalar_type(3)
xp.minimum(a, b)
xp.mintypecode('fd')
xp.modf(v)
xp.moveaxis(z, 0, 2)
xp.nan_to_num(n)
xp.nanargmax(n)
xp.nanargmin(n)
xp.nancumprod(n)
xp.nancumsum(n)
xp.nanmax(n)
xp.nanmean(n)
xp.nanmedian(n)
xp.nanmin(n)
xp.nanprod(n)
xp.nanstd(n)
xp.nansum(n)
xp.nanvar(n)
xp.ndim(a)
xp.negative(a)
xp.nextafter(v, w)
xp.nonzero(k)
xp.ogrid[0:3]
xp.ones((2, 3))
xp.ones(3, dtype='int8')
xp.ones_like(a)
xp.outer(v, w)
xp.packbits(a > 0)
xp.pad(a, 1)
xp.pad(a, ((1, 0), (0, 2)), constant_values=3)
xp.pad(v, 2, mode='edge')
xp.pad(v, 2, mode='reflect')
xp.sort(xp.partition(v, 3)[:3])
xp.percentile(a, 50)
xp.percentile(a, 25, axis=1)
xp.permute_dims(z, (1, 0, 2))
xp.piecewise(a, [k, ~k], [1, 2])
xp.polyval(v[:3], w)
xp.power(a, 3)
xp.prod(v)
xp.promote_types('int8', 'float16')
xp.ptp(a)
xp.quantile(v, 0.3)
xp.r_[v, w]
xp.c_[v, w]
xp.ravel(a)
xp.ravel_multi_index((i[:2], i[1:3]), (4, 5))
xp.real(a)
xp.real_if_close(a)
xp.reciprocal(a)
xp.remainder(a, b)
xp.repeat(v, 3)
xp.reshape(a, (4, 3))
xp.resize(v, (3, 4))
xp.result_type(a, i)
xp.right_shift(a, 1)
xp.rint(a)
xp.roll(a, 1)
xp.roll(a, (1, 2), axis=(0, 1))
xp.rollaxis(z, 2)
xp.sort(abs(xp.roots(s[-3:])))
xp.rot90(a)
xp.round(a, 1)
xp.round(a, -1)
xp.searchsorted(s, v)
xp.searchsorted(s, v, side='right')
xp.select([a > 1, a > 0], [a, b])
xp.setdiff1d(v, w)
xp.setxor1d(v, w)
xp.shape(a)
xp.sign(a)
xp.signbit(a)
xp.sin(a)
xp.sinc(a)
xp.size(a)
xp.sort(v)
xp.sort(a, axis=0)
xp.sort(a, axis=None)
xp.sort_complex(v)
xp.split(v[:6], 3)
xp.split(v, [2, 5])
xp.sqrt(a)
xp.square(a)
xp.squeeze(a[None])
xp.stack([a, b])
xp.stack([a, b], axis=-1)
xp.std(a)
xp.subtract(a, b)
xp.sum(a)
xp.sum(z, axis=1)
xp.swapaxes(z, 0, 2)
xp.take(a, i)
xp.take(a, i, axis=1)
xp.take_along_axis(a, xp.argsort(a, axis=1), axis=1)
xp.tanh(a)
xp.tensordot(a, m, 1)
xp.tensordot(z, z, axes=((0, 1), (0, 1)))
xp.tile(a, 2)
xp.tile(v, (2, 2))
xp.trace(m)
xp.transpose(a)
xp.trapezoid(v)
xp.tri(3)
xp.tril(a)
xp.tril_indices(3)
xp.tril_indices_from(m)
xp.trim_zeros(xp.pad(v, 2))
xp.triu(a, 1)
xp.triu_indices(3)
xp.triu_indices_from(m)
xp.trunc(a)
xp.typename('f')
xp.union1d(v, w)
xp.unique(v)
xp.unique(v, return_index=True, return_inverse=True, return_counts=True)
xp.unique(a, axis=0)
xp.unique_all(v)
xp.unique_counts(v)
xp.unique_inverse(v)
xp.unique_values(v)
xp.unpackbits(a.astype('uint8'))
xp.unravel_index(i, (2, 3))
xp.unwrap(v)
xp.vander(v[:3])
xp.var(a)
xp.vdot(v, w)
xp.vsplit(a, 3)
xp.vstack([a, b])
xp.where(k, a, b)
xp.where(k, a, 0)
xp.where(k)
xp.zeros((2, 3))
xp.zeros(3, 'uint8')
xp.zeros_like(a)
xp.zeros_like(a, dtype='float16')
xp.copyto(a, b) or a
xp.copyto(a, 2, where=k) or a
xp.fill_diagonal(m, 1) or m
xp.place(a, k, v) or a
xp.put(a, i, v[:4]) or a
xp.putmask(a, k, b) or a
xp.put_along_axis(a, xp.argmax(a, axis=1, keepdims=True), 1, axis=1) or a
a.fill(3) or a
a.sort(axis=0) or a
v.partition(3) or xp.sort(v[:3])
a.put(i, 1) or a
a.__setitem__(0, b[1]) or a
a.__setitem__((slice(None), 1), 2) or a
a.__setitem__(k, 3) or a
a.__setitem__(i[:2], b[:2]) or a
a.__setitem__(Ellipsis, b[None]) or a
a.__iadd__(b)
a.__imul__(2)
a.__itruediv__(2)
xp.add.reduce(a)
xp.add.reduce(a, axis=1)
xp.add.accumulate(v)
xp.multiply.outer(v, w)
xp.add.at(a, (i[:3], i[1:]), 1) or a
xp.add(a, b, out=a)
xp.exp(a, dtype='float64')
xp.sum(a, axis=0, out=xp.zeros(4, a.dtype))
xp.s_[1:2]
xp.apply_along_axis(lambda row: row[::-1], 1, a)
xp.apply_over_axes(xp.sum, z, (0, 2))
xp.asarray_chkfinite(a)
xp.shares_memory(a, a[1:])
xp.may_share_memory(a, b)
xp.broadcast(a, m[0]).shape
xp.array_repr(a)
xp.array_str(a)
xp.array2string(a)
"""

# What NumPy and CuPy cannot share: device arrays beside host arrays, and CuPy's own rules.
CUPY_CALLS = """
a + h
h + a
a @ h.T
a == h
a.__iadd__(h)
xp.add(a, h)
xp.add(a, [1])
xp.add(a, None)
xp.add(a, 'x')
xp.sum(h)
xp.fft.fft(h)
xp.concatenate([a, h])
xp.where(k, a, h)
xp.where(k, a, [1])
xp.dot(a, h)
xp.einsum('ij,kj', a, h)
xp.linalg.norm(h)
np.asarray(a)
np.array([a, a])
np.exp(a)
np.sum(a)
np.linalg.norm(a)
np.concatenate([a, a])
np.concatenate([a, h])
np.spacing(a)
np.insert(a, 0, 1)
np.add(a, h, out=a)
np.add(a, 1, out=h)
a[h[0] > 1, :1]
a[np.array([0, 2])]
a[[5, -7]]
a.take([5, -7])
a.take(i, out=h)
a[1.5]
a['x']
a[5]
a[0, 0, 0]
a[xp.array([0.5])]
a.__setitem__(0, h[0])
a.__setitem__(0, [1, 2, 3, 4])
a.__setitem__(i[:2], h[:2])
a.__setitem__(i[:1], [1, 2, 3, 4])
a.__setitem__(0, np.array(2))
a.__setitem__([4, -4], 2) or a
xp.put(a, [13], 1) or a
xp.take_along_axis(v, xp.array([8]), 0)
a.set(h)
a.set(h.T)
a.set(h.tolist())
a.get(out=h)
a.item()
a[0, 0].item()
bool(a)
bool(a[:0])
int(a[0, 0])
float(a)
range(v[0])
hash(a)
a.flags['C_CONTIGUOUS']
a.flags.owndata
a.T.base is a
xp.sum(a, where=k)
xp.max(a, initial=1)
xp.sort(a, stable=True)
xp.array('x')
xp.array([None])
xp.array(h.astype('>f4'))
xp.zeros(xp.array(3))
xp.ones(2, xp.uint8) + 300
xp.ones(2, xp.int8) + np.int16(1)
xp.ones(2, xp.float16) * np.float32(2)
xp.ones(2, bool) + 1
xp.ones(2, bool) + 1.5
a + np.float64(1)
a * 1j
(a + 1).flags.c_contiguous
(a.T + 1).flags.c_contiguous
xp.zeros_like(a.T)
a.T.copy()
a.T.astype('complex128')
xp.gcd(k, k)
xp.sign(k)
xp.logical_and(a, b)
xp.linalg.inv(0 * m)
xp.full(2, a[0, 0])
xp.arange(v[0], 5)
xp.linspace(v[0], 5, 3)
xp.maximum(a, xp.array(2))
xp.clip(a, -1000, 1000)
xp.isin(v, [1, 2])
xp.histogram(v, [1, 2, 3])
xp.digitize(v, [1, 2])
xp.bincount([1, 2])
xp.tile(a, (2,))
xp.expm1(1)
xp.exp(True)
xp.nope
xp.cuda.Device(77).use()
xp.add.at(a, ([0, 0], [1, 1]), 1) or a
xp.exp.at(a, 0)
xp.fuse(lambda x: x * 2 + x)(a)
xp.fuse(kernel_name='k')(lambda x: x * 2 + x)(a)
xp.fuse(kernel_name='k')(lambda x: x if x.sum() > 0 else -x)(a)
xp.fuse(kernel_name='k')(lambda x: x[1:])(a)
xp.fuse(kernel_name='k')(lambda x: xp.sort(x))(a)
xp.fuse(kernel_name='k')(lambda x: xp.sum(x * x))(a)
xp.fuse(kernel_name='k')(lambda x: xp.sum(x * x, axis=1))(a)
xp.broadcast_to(a, (2, 3, 4)).strides
xp.array([[a[0], a[1]]]).shape
xp.random.rand(3).dtype
xp.random.randint(0, 9, 4).dtype
xp.random.normal(size=3, dtype='float32').dtype
xp.random.normal(size=3, dtype='float16')
xp.random.permutation(5).dtype
xp.random.choice([1, 2])
xp.random.default_rng(1).integers(0, 5, 3).dtype
"""


def calls() -> list[str]:
    """The expressions."""
    return CALLS.strip().splitlines()


def host_inputs(dtype: str) -> dict[str, np.ndarray]:
    """The inputs, on the host; the same at each call."""
    rng = np.random.default_rng(7)
    kind = np.dtype(dtype)

    def numbers(*shape: int) -> np.ndarray:
        # Few different values, so that sets meet and orders have ties; no zeros to divide by.
        found = rng.integers(1, 6, shape).astype(np.float64)
        if kind.kind in "fc":
            found += rng.integers(0, 4, shape) / 4
        if kind.kind in "ifc":
            found *= rng.choice([-1, 1], shape)
        if kind.kind == "c":
            found = found + 1j * rng.integers(-2, 3, shape)
        return (found > 2).astype(kind) if kind.kind == "b" else found.astype(kind)

    m = numbers(4, 4)
    if kind.kind != "b":
        m = (m + 12 * np.eye(4)).astype(kind)
    p = (np.conj(m.T) // 2 if kind.kind in "iu" else np.conj(m.T)) + m
    n = numbers(7)
    if kind.kind in "fc":
        n[[1, 4]] = np.nan
    return {
        "a": numbers(3, 4), "b": numbers(3, 4), "v": numbers(7), "w": numbers(7),
        "s": np.sort(numbers(7)), "m": m, "p": ((p + np.conj(p.T)) // 2 if kind.kind in "iu"
        else p).astype(kind), "z": numbers(2, 3, 4), "n": n,
        "i": np.array([2, 0, 1, 2]), "j": np.array([[0, 2], [1, 1], [2, 0]]),
        "k": rng.random((3, 4)) > 0.5, "c": rng.integers(0, 2, (3, 4)),
    }  # fmt: skip


def run(call: str, xp: Any, inputs: dict[str, Any]) -> Any:
    """What an expression gives, or the exception that it raises."""
    try:
        with np.errstate(all="ignore"):
            return eval(call, {"xp": xp, **inputs})
    except Exception as fault:
        return fault


def flat(value: Any) -> Iterator[Any]:
    """The arrays and numbers in a result, one after the other."""
    if isinstance(value, (tuple, list)):
        for item in value:
            yield from flat(item)
    else:
        yield value
