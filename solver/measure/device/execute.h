// execute: runs a request on the device in this process: compile, load, launch once on the caller's data, then time.
//
//     device -> NVRTC -> buffers with guards -> one launch, results copied out -> warm-up -> runs between events
//
// timing.h has how times are taken: after a busy kernel, calibrated after a warm-up, and as a CUDA graph if a launch is
// short. Each launch uses the next set of buffers. There are enough sets that no launch finds its inputs in the L2
// cache, if memory and sizes allow it; the report says whether they do.
//
// Laws: the first launch takes at most `seconds`. A kernel that does not end abandons the context, and this process can
// then do nothing more on that device (worker.h). Results are copied out before timing starts.
#pragma once

#include "solver/measure/device/cublaslt.h"
#include "solver/measure/device/nvrtc.h"
#include "solver/measure/device/timing.h"

namespace tessera::measure {

// Request and Report: a job (compile, launch, time) and its outcome, as plain data for another process (worker.h). The
// contents of the buffers are not included; they are in memory that both processes share.
//
// A buffer: before the first launch the device gets `bytes` bytes from offset `from`; afterwards its contents are
// stored at `to`.

struct BufferRequest {
  std::string name;
  i64 bytes = 0;
  i64 from = 0;  // in the shared memory
  i64 to = -1;   // -1: result not needed
  template <class A>
  void fields(A& a) {
    a(name, bytes, from, to);
  }
};

struct LaunchRequest {
  std::string kernel;
  i64 blocks = 1, threads = 1;
  i64 dynamicBytes = 0;      // of shared memory
  std::vector<int> buffers;  // by parameter; -1: the int in `sizes`
  std::vector<int> sizes;
  std::vector<MapRequest> maps;  // by parameter: passed instead of the address; may be short
  template <class A>
  void fields(A& a) {
    a(kernel, blocks, threads, dynamicBytes, buffers, sizes, maps);
  }
};

struct Request {
  std::string text;          // CUDA C++; empty: only query the device, or run `gemm`
  std::string architecture;  // required by the text
  std::vector<Span> lines;   // CudaSource's
  std::vector<BufferRequest> buffers;
  std::vector<LaunchRequest> launches;
  Gemm gemm;  // instead of text: cuBLASLt on the buffers A, B, C and optionally bias; m == 0: none
  int device = 0;
  int warmups = 3, runs = 20;
  double seconds = 10;  // limit for one launch
  template <class A>
  void fields(A& a) {
    a(text, architecture, lines, buffers, launches, gemm, device, warmups, runs, seconds);
  }
};

struct KernelReport : FunctionInfo {
  std::string name = {};
  i64 threads = 1;
  int spillStores = -1, spillLoads = -1;  // bytes, from the compiler's log; -1: not reported
  template <class A>
  void fields(A& a) {
    a(name, registers, localBytes, sharedBytes, blocksPerMultiprocessor, threads, spillStores, spillLoads);
  }
};

struct Report {
  DeviceInfo device;
  std::string architecture;           // compilation target
  std::string compiler;               // "NVRTC 13.0"
  std::string log;                    // the compiler's
  std::vector<KernelReport> kernels;  // in the order of the launches
  std::vector<double> microseconds;   // of all launches once, one value per run
  HowTimed how;                       // and on which sets of buffers
  std::vector<std::string> damaged;   // buffers with writes beyond their ends
  template <class A>
  void fields(A& a) {
    a(device, architecture, compiler, log, kernels, microseconds, how, damaged);
  }
};

[[nodiscard]] Result<Report> execute(const Request& request, std::span<unsigned char> memory, const Hooks& hooks = {});

}  // namespace tessera::measure
