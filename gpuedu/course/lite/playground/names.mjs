// What a kernel finds under `cuda.`, for completion.

export const CUDA_NAMES = `
grid(1) grid(2) gridsize(1) threadIdx.x threadIdx.y blockIdx.x blockIdx.y blockDim.x blockDim.y
gridDim.x gridDim.y laneid warpsize shared.array local.array const.array_like syncthreads()
syncthreads_count syncthreads_and syncthreads_or syncwarp() threadfence() threadfence_block()
atomic.add atomic.sub atomic.max atomic.min atomic.and_ atomic.or_ atomic.xor atomic.exch
atomic.cas atomic.inc atomic.dec shfl_sync shfl_up_sync shfl_down_sync shfl_xor_sync
all_sync any_sync ballot_sync eq_sync match_any_sync match_all_sync activemask()
popc brev clz ffs fma cbrt selp jit jit(device=True)
`
  .trim()
  .split(/\s+/)
  .map((name) => `cuda.${name}`);
