// Kernels whose control or addresses depend on their arguments (tests/kernel/prove_test.cpp).
// nvcc -arch=sm_80 -ptx -o prove.ptx prove.cu
#define ENTRY extern "C" __global__ void

ENTRY grid_stride(const float* in, float* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i] + 1;
}
ENTRY grid_stride_race(const float* in, float* out, int n) {  // strides overlap
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x) out[i] = i;
}
ENTRY guarded(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * 2;
}
ENTRY scaled(int* out, int n) { out[threadIdx.x * n] = threadIdx.x; }  // a race for n = 0
ENTRY scaled_odd(int* out, int n) { out[threadIdx.x * (2 * n + 1)] = threadIdx.x; }
ENTRY uniform_barrier(int* out, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (n > 3) {
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
  }
}
ENTRY divergent_barrier(int* out, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < n) {
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
  }
}
ENTRY tiled(const float* a, const float* b, float* out, int n) {
  __shared__ float s[64];
  float sum = 0;
  for (int k = 0; k < n; k += 64) {
    s[threadIdx.x] = a[blockIdx.x * n + k + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 64; ++j) sum += s[j] * b[k + j];
    __syncthreads();
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}
ENTRY tiled_race(const float* a, const float* b, float* out, int n) {  // the next tile overwrites one that is read
  __shared__ float s[64];
  float sum = 0;
  for (int k = 0; k < n; k += 64) {
    s[threadIdx.x] = a[blockIdx.x * n + k + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 64; ++j) sum += s[j] * b[k + j];
  }
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}
ENTRY reduce(const int* in, int* out, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int d = n; d > 0; d >>= 1) {
    if (threadIdx.x < d && threadIdx.x + d < 64) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = s[0];
}
ENTRY reduce_race(const int* in, int* out, int n) {  // without the barrier of a round
  __shared__ int s[64];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int d = n; d > 0; d >>= 1)
    if (threadIdx.x < d && threadIdx.x + d < 64) s[threadIdx.x] += s[threadIdx.x + d];
  if (threadIdx.x == 0) out[0] = s[0];
}
ENTRY scatter(const int* index, int* out) { out[index[threadIdx.x]] = threadIdx.x; }
ENTRY scatter_atomic(const int* index, int* out) { atomicAdd(&out[index[threadIdx.x]], 1); }
ENTRY broadcast(const int* in, int* out) {  // all read what one thread wrote: the barrier is uniform
  __shared__ int s;
  if (threadIdx.x == 0) s = in[0];
  __syncthreads();
  if (s > 0) {
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = s;
  }
}
ENTRY broadcast_race(const int* in, int* out) {
  __shared__ int s;
  if (threadIdx.x == 0) s = in[0];
  if (s > 0) out[blockIdx.x * 64 + threadIdx.x] = s;
}
ENTRY swap_buffers(float* a, float* b, int n) {  // the pointer is selected
  float* from = n > 0 ? a : b;
  float* to = n > 0 ? b : a;
  to[threadIdx.x] = from[63 - threadIdx.x];
}
ENTRY in_place(float* a, int n) {  // a race for 0 < n < 64
  const float x = a[threadIdx.x + n];
  a[threadIdx.x] = x;
}
ENTRY count_down(int* out, int n) {
  int i = n;
  do {
    out[threadIdx.x] = i;
  } while (--i > 0);
}
ENTRY previous(int* out, int n) {  // a trip reads what another thread wrote in the trip before
  for (int k = 0; k < n; ++k) {
    __syncthreads();
    out[64 * k + threadIdx.x] = k > 0 ? out[64 * (k - 1) + 63 - threadIdx.x] : 0;
  }
}
ENTRY previous_race(int* out, int n) {  // of this trip
  for (int k = 0; k < n; ++k) {
    __syncthreads();
    out[64 * k + threadIdx.x] = k > 0 ? out[64 * k + 63 - threadIdx.x] : 0;
  }
}
