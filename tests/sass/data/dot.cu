// Loops with known and unknown counts; variable and fixed latency. See README.md for how its listings are made.
extern "C" __global__ void dot(const float* a, const float* b, float* c, int n) {
  float s = 0;
  for (int k = threadIdx.x; k < n; k += blockDim.x) s += a[k] * b[k];
  __shared__ float t[128];
  t[threadIdx.x] = s;
  __syncthreads();
  for (int k = 64; k > 0; k /= 2) {
    if (threadIdx.x < k) t[threadIdx.x] += t[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) *c = rsqrtf(t[0]);
}

extern "C" __global__ void nested(float* x, int n) {
  for (int i = 0; i < n; ++i) {
    float s = x[i];
#pragma unroll 1
    for (int k = 0; k < 12; ++k) s = s * s + 1.0f;
    x[i] = s;
  }
}
