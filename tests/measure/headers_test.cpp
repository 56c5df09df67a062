// Our own prototypes and numbers against NVIDIA's headers, if the build has found them. The build itself needs none.
#include <catch2/catch.hpp>

#if __has_include(<cuda.h>) && __has_include(<nvrtc.h>) && __has_include(<cublasLt.h>)
#include <cublasLt.h>
#include <cuda.h>
#include <nvrtc.h>

#include <cstddef>
#include <type_traits>

#include "solver/measure/device/cublaslt.h"
#include "solver/measure/device/driver.h"
#include "solver/measure/device/nvrtc.h"

using namespace tessera::measure;

namespace {

// The same parameters but for what a handle or an enumeration is called: pointers for pointers, ints for enumerations.
template <class Ours, class Theirs>
constexpr bool alike() {
  if constexpr (std::is_pointer_v<Ours>) {
    return std::is_pointer_v<Theirs>;
  } else {
    return sizeof(Ours) == sizeof(Theirs) && !std::is_pointer_v<Theirs>;
  }
}
template <class Ours, class Theirs>
struct Same : std::false_type {};
template <class R, class... A, class S, class... B>
struct Same<R (*)(A...), S(B...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(A) != sizeof...(B)) {
      return false;
    } else {
      return alike<R, S>() && (alike<A, B>() && ...);
    }
  }();
};

#define SAME(member, function) static_assert(Same<decltype(DriverTable::member), decltype(function)>::value)
SAME(init, cuInit);
SAME(driverVersion, cuDriverGetVersion);
SAME(deviceCount, cuDeviceGetCount);
SAME(deviceGet, cuDeviceGet);
SAME(deviceName, cuDeviceGetName);
SAME(deviceMemory, cuDeviceTotalMem);
SAME(deviceAttribute, cuDeviceGetAttribute);
SAME(contextRetain, cuDevicePrimaryCtxRetain);
SAME(contextRelease, cuDevicePrimaryCtxRelease);
SAME(contextSet, cuCtxSetCurrent);
SAME(moduleLoad, cuModuleLoadData);
SAME(moduleUnload, cuModuleUnload);
SAME(moduleFunction, cuModuleGetFunction);
SAME(functionAttribute, cuFuncGetAttribute);
SAME(setFunctionAttribute, cuFuncSetAttribute);
SAME(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor);
SAME(streamCreate, cuStreamCreate);
SAME(streamDestroy, cuStreamDestroy);
SAME(captureBegin, cuStreamBeginCapture);
SAME(captureEnd, cuStreamEndCapture);
SAME(graphInstantiate, cuGraphInstantiate);
SAME(graphLaunch, cuGraphLaunch);
SAME(graphDestroy, cuGraphDestroy);
SAME(graphExecDestroy, cuGraphExecDestroy);
SAME(launch, cuLaunchKernel);
SAME(eventCreate, cuEventCreate);
SAME(eventDestroy, cuEventDestroy);
SAME(eventRecord, cuEventRecord);
SAME(eventQuery, cuEventQuery);
SAME(eventElapsed, cuEventElapsedTime);
SAME(allocate, cuMemAlloc);
SAME(release, cuMemFree);
SAME(copyIn, cuMemcpyHtoD);
SAME(copyOut, cuMemcpyDtoH);
SAME(fill, cuMemsetD8);
SAME(memoryInfo, cuMemGetInfo);
SAME(tensorMap, cuTensorMapEncodeTiled);
SAME(errorName, cuGetErrorName);
SAME(errorText, cuGetErrorString);
#undef SAME
#define SAME(member, function) static_assert(Same<decltype(NvrtcTable::member), decltype(function)>::value)
SAME(version, nvrtcVersion);
SAME(architectureCount, nvrtcGetNumSupportedArchs);
SAME(architectures, nvrtcGetSupportedArchs);
SAME(create, nvrtcCreateProgram);
SAME(destroy, nvrtcDestroyProgram);
SAME(compile, nvrtcCompileProgram);
SAME(logSize, nvrtcGetProgramLogSize);
SAME(log, nvrtcGetProgramLog);
SAME(cubinSize, nvrtcGetCUBINSize);
SAME(cubin, nvrtcGetCUBIN);
SAME(ptxSize, nvrtcGetPTXSize);
SAME(ptx, nvrtcGetPTX);
SAME(errorText, nvrtcGetErrorString);
#undef SAME

#define SAME(member, function) static_assert(Same<decltype(CublasLtTable::member), decltype(function)>::value)
SAME(create, cublasLtCreate);
SAME(destroy, cublasLtDestroy);
SAME(descriptorCreate, cublasLtMatmulDescCreate);
SAME(descriptorDestroy, cublasLtMatmulDescDestroy);
SAME(descriptorSet, cublasLtMatmulDescSetAttribute);
SAME(layoutCreate, cublasLtMatrixLayoutCreate);
SAME(layoutDestroy, cublasLtMatrixLayoutDestroy);
SAME(preferenceCreate, cublasLtMatmulPreferenceCreate);
SAME(preferenceDestroy, cublasLtMatmulPreferenceDestroy);
SAME(preferenceSet, cublasLtMatmulPreferenceSetAttribute);
SAME(heuristic, cublasLtMatmulAlgoGetHeuristic);
SAME(multiply, cublasLtMatmul);
SAME(version, cublasLtGetVersion);
#undef SAME

static_assert(sizeof(CublasLtChoice) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(CublasLtChoice, workspaceBytes) == offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(sizeof(cublasLtMatmulAlgo_t) == sizeof(CublasLtChoice::algorithm));
static_assert(CUBLAS_OP_N == 0 && CUBLAS_OP_T == 1 && CUBLAS_COMPUTE_32F == 68);
static_assert(CUDA_R_32F == 0 && CUDA_R_16F == 2 && CUDA_R_16BF == 14);
static_assert(CUBLASLT_MATMUL_DESC_TRANSA == 3 && CUBLASLT_MATMUL_DESC_TRANSB == 4);
static_assert(CUBLASLT_MATMUL_DESC_EPILOGUE == 7 && CUBLASLT_MATMUL_DESC_BIAS_POINTER == 8);
static_assert(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES == 1);
static_assert(CUBLASLT_EPILOGUE_RELU == static_cast<int>(Epilogue::Relu) &&
              CUBLASLT_EPILOGUE_BIAS == static_cast<int>(Epilogue::Bias) &&
              CUBLASLT_EPILOGUE_RELU_BIAS == static_cast<int>(Epilogue::BiasRelu));
static_assert(CUBLAS_STATUS_NOT_INITIALIZED == 1 && CUBLAS_STATUS_ALLOC_FAILED == 3 &&
              CUBLAS_STATUS_INVALID_VALUE == 7);
static_assert(CUBLAS_STATUS_ARCH_MISMATCH == 8 && CUBLAS_STATUS_NOT_SUPPORTED == 15);

static_assert(CUDA_ERROR_OUT_OF_MEMORY == 2 && CUDA_ERROR_STUB_LIBRARY == 34 && CUDA_ERROR_NO_DEVICE == 100);
static_assert(CUDA_ERROR_INVALID_IMAGE == 200 && CUDA_ERROR_NO_BINARY_FOR_GPU == 209 && CUDA_ERROR_INVALID_PTX == 218);
static_assert(CUDA_ERROR_UNSUPPORTED_PTX_VERSION == 222 && CUDA_ERROR_NOT_READY == 600);
static_assert(CUDA_ERROR_ILLEGAL_ADDRESS == 700 && CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES == 701);
static_assert(CUDA_ERROR_MISALIGNED_ADDRESS == 716 && CUDA_ERROR_SYSTEM_DRIVER_MISMATCH == 803);
static_assert(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE == 804 && CUDA_ERROR_UNKNOWN == 999);
static_assert(CU_STREAM_CAPTURE_MODE_RELAXED == 2 && CU_STREAM_DEFAULT == 0);
static_assert(CU_DEVICE_ATTRIBUTE_CLOCK_RATE == 13 && CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT == 16);
static_assert(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE == 36 && CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH == 37);
static_assert(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE == 38 && CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR == 39);
static_assert(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR == 75 && CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR == 76);
static_assert(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK == 0 && CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES == 1);
static_assert(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES == 3 && CU_FUNC_ATTRIBUTE_NUM_REGS == 4);
static_assert(sizeof(CUtensorMap) == sizeof(TensorMapBytes) && alignof(CUtensorMap) <= 128);
static_assert(CU_TENSOR_MAP_DATA_TYPE_UINT8 == 0 && CU_TENSOR_MAP_DATA_TYPE_UINT16 == 1 &&
              CU_TENSOR_MAP_DATA_TYPE_UINT32 == 2 && CU_TENSOR_MAP_DATA_TYPE_INT32 == 3);
static_assert(CU_TENSOR_MAP_DATA_TYPE_UINT64 == 4 && CU_TENSOR_MAP_DATA_TYPE_INT64 == 5 &&
              CU_TENSOR_MAP_DATA_TYPE_FLOAT16 == 6 && CU_TENSOR_MAP_DATA_TYPE_FLOAT32 == 7);
static_assert(CU_TENSOR_MAP_DATA_TYPE_FLOAT64 == 8 && CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 == 9);
static_assert(CU_TENSOR_MAP_SWIZZLE_NONE == 0 && CU_TENSOR_MAP_SWIZZLE_32B == 1 && CU_TENSOR_MAP_SWIZZLE_64B == 2 &&
              CU_TENSOR_MAP_SWIZZLE_128B == 3);
static_assert(CU_TENSOR_MAP_L2_PROMOTION_L2_128B == 2 && CU_TENSOR_MAP_INTERLEAVE_NONE == 0 &&
              CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE == 0);
static_assert(NVRTC_ERROR_OUT_OF_MEMORY == 1 && NVRTC_ERROR_INVALID_OPTION == 5 && NVRTC_ERROR_COMPILATION == 6);

}  // namespace

TEST_CASE("our tables have NVIDIA's prototypes and numbers") { SUCCEED("held when this file was compiled"); }
#else
TEST_CASE("our tables have NVIDIA's prototypes and numbers") { WARN("skipped: no cuda.h and nvrtc.h at build time"); }
#endif
