// Driver: the CUDA driver, loaded at run time: devices, one context, modules, memory, launches and events.
//
//     TESSERA_TRY(const Driver driver, Driver::open());          libcuda.so.1; Diag: why there is no device
//     TESSERA_TRY(const DeviceInfo device, driver.device(0));    NVIDIA H100, compute capability 9.0, driver 12.4
//     TESSERA_TRY(Context context, Context::of(driver, 0));
//     TESSERA_TRY(void* const module, context.load(cubin));
//     TESSERA_TRY(void* const copy, context.function(module, "copy"));
//     context.launch(copy, "copy", blocks, threads, arguments);
//     context.record(end, ...);   context.wait(end, {.seconds = 10}, ...)
//
// The prototypes are our own, so the build needs no CUDA; tests/measure checks them against NVIDIA's headers if
// installed.
//
// Launches and events go to a stream of the context, because the default stream cannot be captured into a graph. It is
// a blocking stream: it waits for copies, which go to the default stream.
//
// Laws: a failed call returns a Diag that names the call, the driver's message and a remedy. A Context frees what it
// created and releases the primary context when it ends. An `abandoned` context frees nothing: a kernel in it never
// ends and the driver would wait for it forever, so its process has to exit (worker.h).
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>

#include "core/base/types.h"
#include "solver/measure/device/dynamic_library.h"

namespace tessera::measure {

using DevicePointer = unsigned long long;

// Functions exported by cuda.h.
struct DriverTable : FunctionTable {
  int (*init)(unsigned) = named("cuInit", init);
  int (*driverVersion)(int*) = named("cuDriverGetVersion", driverVersion);
  int (*deviceCount)(int*) = named("cuDeviceGetCount", deviceCount);
  int (*deviceGet)(int*, int) = named("cuDeviceGet", deviceGet);
  int (*deviceName)(char*, int, int) = named("cuDeviceGetName", deviceName);
  int (*deviceMemory)(std::size_t*, int) = named("cuDeviceTotalMem_v2", deviceMemory);
  int (*deviceAttribute)(int*, int, int) = named("cuDeviceGetAttribute", deviceAttribute);
  int (*contextRetain)(void**, int) = named("cuDevicePrimaryCtxRetain", contextRetain);
  int (*contextRelease)(int) = named("cuDevicePrimaryCtxRelease_v2", contextRelease);
  int (*contextSet)(void*) = named("cuCtxSetCurrent", contextSet);
  int (*moduleLoad)(void**, const void*) = named("cuModuleLoadData", moduleLoad);
  int (*moduleUnload)(void*) = named("cuModuleUnload", moduleUnload);
  int (*moduleFunction)(void**, void*, const char*) = named("cuModuleGetFunction", moduleFunction);
  int (*functionAttribute)(int*, int, void*) = named("cuFuncGetAttribute", functionAttribute);
  int (*setFunctionAttribute)(void*, int, int) = named("cuFuncSetAttribute", setFunctionAttribute);
  int (*occupancy)(int*, void*, int, std::size_t) = named("cuOccupancyMaxActiveBlocksPerMultiprocessor", occupancy);
  int (*streamCreate)(void**, unsigned) = named("cuStreamCreate", streamCreate);
  int (*streamDestroy)(void*) = named("cuStreamDestroy_v2", streamDestroy);
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                void**) = named("cuLaunchKernel", launch);
  int (*eventCreate)(void**, unsigned) = named("cuEventCreate", eventCreate);
  int (*eventDestroy)(void*) = named("cuEventDestroy_v2", eventDestroy);
  int (*eventRecord)(void*, void*) = named("cuEventRecord", eventRecord);
  int (*eventQuery)(void*) = named("cuEventQuery", eventQuery);
  int (*eventElapsed)(float*, void*, void*) = named("cuEventElapsedTime", eventElapsed);
  int (*allocate)(DevicePointer*, std::size_t) = named("cuMemAlloc_v2", allocate);
  int (*release)(DevicePointer) = named("cuMemFree_v2", release);
  int (*copyIn)(DevicePointer, const void*, std::size_t) = named("cuMemcpyHtoD_v2", copyIn);
  int (*copyOut)(void*, DevicePointer, std::size_t) = named("cuMemcpyDtoH_v2", copyOut);
  int (*fill)(DevicePointer, unsigned char, std::size_t) = named("cuMemsetD8_v2", fill);
  int (*memoryInfo)(std::size_t*, std::size_t*) = named("cuMemGetInfo_v2", memoryInfo);
  // CUDA 12 and later.
  int (*tensorMap)(void*, int, unsigned, void*, const unsigned long long*, const unsigned long long*, const unsigned*,
                   const unsigned*, int, int, int, int) = ifThere("cuTensorMapEncodeTiled", tensorMap);
  // CUDA 11.4 and later: graphs.
  int (*captureBegin)(void*, int) = ifThere("cuStreamBeginCapture_v2", captureBegin);
  int (*captureEnd)(void*, void**) = ifThere("cuStreamEndCapture", captureEnd);
  int (*graphInstantiate)(void**, void*, unsigned long long) = ifThere("cuGraphInstantiateWithFlags", graphInstantiate);
  int (*graphLaunch)(void*, void*) = ifThere("cuGraphLaunch", graphLaunch);
  int (*graphDestroy)(void*) = ifThere("cuGraphDestroy", graphDestroy);
  int (*graphExecDestroy)(void*) = ifThere("cuGraphExecDestroy", graphExecDestroy);
  int (*errorName)(int, const char**) = named("cuGetErrorName", errorName);
  int (*errorText)(int, const char**) = named("cuGetErrorString", errorText);
};

struct DeviceInfo {
  std::string name;          // "NVIDIA H100 80GB HBM3"
  int major = 0, minor = 0;  // compute capability
  int driverVersion = 0;     // 12040: the driver supports CUDA 12.4
  i64 memoryBytes = 0;
  int multiprocessors = 0;
  int clockKilohertz = 0, memoryClockKilohertz = 0;  // maxima; 0: not reported
  int busBits = 0;
  i64 cacheBytes = 0;  // L2
  int threadsPerMultiprocessor = 0;
  bool operator==(const DeviceInfo&) const = default;
  template <class A>
  void fields(A& a) {
    a(name, major, minor, driverVersion, memoryBytes, multiprocessors, clockKilohertz, memoryClockKilohertz, busBits,
      cacheBytes, threadsPerMultiprocessor);
  }

  [[nodiscard]] std::string architecture() const;  // "sm_90"
  [[nodiscard]] std::string driver() const;        // "12.4"
};

struct FunctionInfo {
  int registers = 0, localBytes = 0;
  int sharedBytes = 0;              // static plus dynamic
  int blocksPerMultiprocessor = 0;  // resident at once
};

class Driver {
 public:
  static constexpr int kOldest = 11000;  // CUDA 11: cp.async, ldmatrix; older drivers are rejected
  [[nodiscard]] static LibraryPlace place();
  [[nodiscard]] static Result<Driver> open();
  [[nodiscard]] Result<int> devices() const;
  [[nodiscard]] Result<DeviceInfo> device(int index) const;
  [[nodiscard]] const DriverTable& table() const { return *table_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  // Describes a result other than 0: "cuMemAlloc: out of memory (CUDA_ERROR_OUT_OF_MEMORY)", after `what` and a colon.
  [[nodiscard]] Diag diag(const char* call, int result, const std::string& what = "") const;
  // The same, if the result is not 0.
  [[nodiscard]] Result<void> did(const char* call, int result, const std::string& what = "") const;

 private:
  std::shared_ptr<const DriverTable> table_;
  int version_ = 0;
  std::string path_;
};

// Limits of one wait.
struct WaitLimits {
  double seconds = 10;
  const std::atomic<bool>* cancel = nullptr;
};

class Context {
 public:
  [[nodiscard]] static Result<Context> of(const Driver& driver, int device);
  Context(Context&&) noexcept;
  Context& operator=(Context&&) = delete;
  ~Context();

  [[nodiscard]] Result<void*> load(const std::string& image);
  [[nodiscard]] Result<void*> function(void* module, const std::string& name);
  // Dynamic shared memory beyond 48 KiB must be allowed before the launch.
  [[nodiscard]] Result<void> allowShared(void* function, const std::string& name, i64 bytes) const;
  // dynamicBytes: dynamic shared memory of the launch.
  [[nodiscard]] FunctionInfo describe(void* function, i64 threads, i64 dynamicBytes = 0) const;
  // The Diag gives the requested and the free size.
  [[nodiscard]] Result<DevicePointer> allocate(i64 bytes);
  void release(DevicePointer pointer);
  [[nodiscard]] Result<void> copyIn(DevicePointer to, const void* from, i64 bytes);
  [[nodiscard]] Result<void> copyOut(void* to, DevicePointer from, i64 bytes);
  [[nodiscard]] Result<void> fill(DevicePointer to, unsigned char byte, i64 bytes);
  [[nodiscard]] Result<void> launch(void* function, const std::string& name, i64 blocks, i64 threads,
                                    std::vector<void*>& arguments, i64 dynamicBytes = 0);
  // Captures the launches of `launches` into a graph that can be launched any number of times. They do not run now.
  // Returns a Diag if the driver has no graphs (before CUDA 11.4), or a call cannot be captured.
  [[nodiscard]] Result<void*> graph(const std::function<Result<void>()>& launches);
  [[nodiscard]] Result<void> launchGraph(void* graph, const std::string& what);
  [[nodiscard]] Result<void*> event();
  // Records after all earlier launches. `what` names them, because an error of theirs can surface here.
  [[nodiscard]] Result<void> record(void* event, const std::string& what);
  // Whether everything before the event has ended. Does not block.
  [[nodiscard]] Result<bool> happened(void* event, const std::string& what) const;
  // Blocks until the event has happened. On timeout or cancellation the context is abandoned.
  [[nodiscard]] Result<void> wait(void* event, const WaitLimits& limits, const std::string& what);
  [[nodiscard]] Result<double> microseconds(void* from, void* to) const;
  [[nodiscard]] bool abandoned() const { return abandoned_; }
  [[nodiscard]] const Driver& driver() const { return driver_; }
  [[nodiscard]] void* stream() const { return stream_; }

 private:
  Context(Driver driver, int device) : driver_(std::move(driver)), device_(device) {}
  Driver driver_;
  int device_ = 0;
  bool owns_ = true, abandoned_ = false;
  void* stream_ = nullptr;
  std::vector<void*> modules_, events_, graphs_;
  std::vector<DevicePointer> memory_;
};

// The tensor map of a launch: 128 bytes that cuTensorMapEncodeTiled makes from a tensor's address, extents and box,
// passed to the kernel by value (const __grid_constant__).
//
//     %A:[1024,1024:1024,1].fp16 through boxes of 128 x 64, mode 128B
//         extents 1024 1024, strides - 2048 bytes, box 64 128 (innermost first), FLOAT16, SWIZZLE_128B
//
// A rejection by the driver is a Diag with the requested map. Needs a driver of CUDA 12 or later.
//
// Source: CUDA driver API, cuTensorMapEncodeTiled.

// A map to encode, as plain data; no extents: none.
struct MapRequest {
  std::string element;                     // "fp16"
  std::vector<i64> extents, strides, box;  // of codegen::TensorMap, in elements
  std::string swizzle;
  template <class A>
  void fields(A& a) {
    a(element, extents, strides, box, swizzle);
  }
};

using TensorMapBytes = std::array<unsigned char, 128>;

[[nodiscard]] Result<TensorMapBytes> encoded(const Driver& driver, const MapRequest& map, DevicePointer start);

}  // namespace tessera::measure
