// Sums of blocks of 256 integers, for the lesson "Find the race".
//
//     nvcc -arch=sm_80 -ptx -lineinfo reduce.cu          writes reduce.ptx
extern "C" {

// A barrier after every step of the tree.
__global__ void reduce(const int* in, int* out) {
  __shared__ int part[256];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
// The barrier is before the loop only: a warp may be a step ahead of another one.
__global__ void reduce_race(const int* in, int* out) {
  __shared__ int part[256];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2)
    if (t < half) part[t] += part[t + half];
  if (t == 0) out[blockIdx.x] = part[0];
}
// The last steps rely on lanes that run in lockstep, which no GPU since Volta promises.
__global__ void reduce_warp(const int* in, int* out) {
  __shared__ int part[256];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int half = 128; half >= 32; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t < 32)
    for (int half = 16; half > 0; half /= 2) part[t] += part[t + half];
  if (t == 0) out[blockIdx.x] = part[0];
}
// The last steps exchange registers: no memory, no race.
__global__ void reduce_shuffle(const int* in, int* out) {
  __shared__ int part[256];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int half = 128; half >= 32; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t >= 32) return;
  int sum = part[t];
  for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffffu, sum, half);
  if (t == 0) out[blockIdx.x] = sum;
}
}
