#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#else
#include "tessera_host.h"
#endif

// %out <- Move<<<#b, #t>>>(%in)
// Launch: move_out<<<8, 128>>>. Shared memory: 0 bytes.
// %in:[1023:1].fp32.GL
// %out:[1023:1].fp32.GL
extern "C" __global__ void __launch_bounds__(128) move_out(const float* __restrict__ in, float* out) {
  const int o = blockIdx.x;
  const int i = threadIdx.x;
  if (o * 128 + i < 1023) {
    out[o * 128 + i] = in[o * 128 + i];
  }
}
