// Forty values in 24 registers: they go to local memory and back.
extern "C" __global__ void __maxnreg__(24) spill(const float* x, float* y) {
  float v[40];
#pragma unroll
  for (int k = 0; k < 40; ++k) v[k] = x[k * 128 + threadIdx.x];
#pragma unroll
  for (int k = 0; k < 40; ++k) v[k] += v[(k * 7 + 3) % 40] * v[39 - k];
#pragma unroll
  for (int k = 0; k < 40; ++k) y[k * 128 + threadIdx.x] = v[k];
}
