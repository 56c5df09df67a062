// Copies and transposes of a matrix, for the lesson "Why is this copy slow?".
//
//     nvcc -arch=sm_80 -ptx -lineinfo copy.cu            writes copy.ptx
extern "C" {

// Neighbouring threads read neighbouring elements, and store a column: 32 sectors for 128 bytes.
__global__ void transpose_direct(const float* in, float* out, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}
// Through shared memory: both sides are rows, but a column of the tile is in one bank.
__global__ void transpose_tile(const float* in, float* out, int n) {
  __shared__ float tile[32][32];
  const int x = blockIdx.x * 32, y = blockIdx.y * 32;
  tile[threadIdx.y][threadIdx.x] = in[(y + threadIdx.y) * n + x + threadIdx.x];
  __syncthreads();
  out[(x + threadIdx.y) * n + y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
// A row of 33 elements puts the elements of a column into 32 banks.
__global__ void transpose_padded(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  const int x = blockIdx.x * 32, y = blockIdx.y * 32;
  tile[threadIdx.y][threadIdx.x] = in[(y + threadIdx.y) * n + x + threadIdx.x];
  __syncthreads();
  out[(x + threadIdx.y) * n + y + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
// So does a swizzle, without the 128 bytes of padding.
__global__ void transpose_swizzled(const float* in, float* out, int n) {
  __shared__ float tile[32][32];
  const int x = blockIdx.x * 32, y = blockIdx.y * 32;
  tile[threadIdx.y][threadIdx.x ^ threadIdx.y] = in[(y + threadIdx.y) * n + x + threadIdx.x];
  __syncthreads();
  out[(x + threadIdx.y) * n + y + threadIdx.x] = tile[threadIdx.x][threadIdx.y ^ threadIdx.x];
}
}
