// Request and Report: what is to be compiled, launched and timed, and what came of it, as plain data that another process can be
// given (worker.h). What the buffers hold lies in memory that both share, and not in here.
//
// One buffer: `bytes` at `from` are what the device gets before the first launch; what it holds after it comes to `to`.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"
#include "solver/measure/compile_log.h"
#include "solver/measure/cublaslt.h"
#include "solver/measure/driver.h"
#include "solver/measure/tensor_map.h"

namespace tessera::measure {

struct BufferRequest {
  std::string name;
  i64 bytes = 0;
  i64 from = 0;  // in the shared memory
  i64 to = -1;   // -1: nobody asks for it
  template <class A>
  void fields(A& a) {
    a(name, bytes, from, to);
  }
};

struct LaunchRequest {
  std::string kernel;
  i64 blocks = 1, threads = 1;
  i64 dynamicBytes = 0;      // of shared memory
  std::vector<int> buffers;  // by parameter; -1: the int beside it
  std::vector<int> sizes;
  std::vector<MapRequest> maps;  // by parameter: of its buffer, instead of its address; none where it is shorter
  template <class A>
  void fields(A& a) {
    a(kernel, blocks, threads, dynamicBytes, buffers, sizes, maps);
  }
};

struct PlaceRequest {  // a Span
  u64 begin = 0, end = 0;
  template <class A>
  void fields(A& a) {
    a(begin, end);
  }
};

struct Request {
  std::string text;                 // CUDA C++; empty: only what device there is, or `gemm`
  std::string architecture;         // that the text needs
  std::vector<PlaceRequest> lines;  // of CudaSource
  std::vector<BufferRequest> buffers;
  std::vector<LaunchRequest> launches;
  Gemm gemm;  // instead of a text: cuBLASLt on the buffers A, B, C and perhaps bias; m is 0: none
  int device = 0;
  int warmups = 3, runs = 20;
  double seconds = 10;  // a launch that takes longer is stopped
  template <class A>
  void fields(A& a) {
    a(text, architecture, lines, buffers, launches, gemm, device, warmups, runs, seconds);
  }
};

struct KernelReport {
  std::string name;
  int registers = 0, localBytes = 0, sharedBytes = 0, blocksPerMultiprocessor = 0;
  i64 threads = 1;
  int spillStores = -1, spillLoads = -1;  // bytes, of the compiler's log; -1: it does not say
  template <class A>
  void fields(A& a) {
    a(name, registers, localBytes, sharedBytes, blocksPerMultiprocessor, threads, spillStores, spillLoads);
  }
};

struct DeviceReport {
  DeviceInfo info;
  template <class A>
  void fields(A& a) {
    a(info.name, info.major, info.minor, info.driverVersion, info.memoryBytes, info.multiprocessors,
      info.clockKilohertz, info.memoryClockKilohertz, info.busBits, info.cacheBytes, info.threadsPerMultiprocessor);
  }
};

struct Report {
  DeviceReport device;
  std::string architecture;           // compiled for
  std::string compiler;               // "NVRTC 13.0"
  std::string log;                    // the compiler's
  std::vector<KernelReport> kernels;  // in the order of the launches
  std::vector<double> microseconds;   // of all launches once, a number a run
  int launchesPerRun = 1;             // short kernels are launched so often between two events
  int copies = 1;                     // of the buffers, that launches take turns with
  std::vector<std::string> damaged;   // buffers beyond whose ends something was written
  template <class A>
  void fields(A& a) {
    a(device, architecture, compiler, log, kernels, microseconds, launchesPerRun, copies, damaged);
  }
};

// A Diag.
struct Failure {
  std::string message, expected, hint;
  PlaceRequest place;
  template <class A>
  void fields(A& a) {
    a(message, expected, hint, place);
  }
};

struct Stage {
  std::string what;      // "compiling", "running 7 of 20"
  double fraction = -1;  // 0 to 1
  template <class A>
  void fields(A& a) {
    a(what, fraction);
  }
};

}  // namespace tessera::measure
