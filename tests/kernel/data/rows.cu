// A kernel with a loop in which only the first 8 lanes of each warp copy, for the layouts of accesses.
//
//     nvcc -arch=sm_80 -ptx -lineinfo rows.cu            writes rows.ptx
extern "C" {

__global__ void rows(const float4* in, float4* out) {
  __shared__ float4 tile[4][8][4];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (lane >= 8) return;
#pragma unroll 1
  for (int k = 0; k < 4; ++k) tile[warp][lane][k] = in[(warp * 8 + lane) * 4 + k];
  __syncwarp(0xff);
#pragma unroll 1
  for (int k = 0; k < 4; ++k) out[(warp * 8 + lane) * 4 + k] = tile[warp][7 - lane][k];
}
}
