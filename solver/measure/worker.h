// Worker: a request in a process of its own.
//
//     runWorker()                                  in the other process: reads the request, executes it, reports, ends
//     inProcess({"/proc/self/exe", "measure-worker"}, request, memory, hooks)
//
// Why: a kernel that never ends cannot be stopped from inside. The driver waits for it in cuCtxDestroy, in cuModuleUnload and
// when the process ends in peace; what does stop it is the end of the process by a signal, for then the kernel module takes its channel
// away. And a write outside of its buffers leaves the whole context of a process unusable. So nothing of CUDA is ever loaded
// into the process that holds the worksheet: what hangs, crashes or eats memory is a child, and the message says how it ended.
//
// The child is a fresh program (posix_spawn), never a fork of a process with threads. It gets a socket as standard input and the
// buffers as shared memory, descriptor 3; it ends with its parent.
//
// Laws: returns within `seconds` of silence after the child should have said something; cancelling ends the child at once; the
// child is waited for, whatever happened.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "solver/measure/execute.h"

namespace tessera::measure {

// Memory that a child can be given; zeros.
class SharedMemory {
 public:
  [[nodiscard]] static Result<SharedMemory> of(i64 bytes);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&&) = delete;
  ~SharedMemory();
  [[nodiscard]] std::span<unsigned char> bytes() const { return {data_, size_}; }
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  SharedMemory(int descriptor, unsigned char* data, std::size_t size)
      : descriptor_(descriptor), data_(data), size_(size) {}
  int descriptor_ = -1;
  unsigned char* data_ = nullptr;
  std::size_t size_ = 0;
};

// How long a child may be silent beside request.seconds: opening libraries and compiling take their time.
inline constexpr double kPatienceSeconds = 120;

[[nodiscard]] Result<Report> inProcess(const std::vector<std::string>& command, const Request& request,
                                       const SharedMemory& memory, const Hooks& hooks = {},
                                       double patienceSeconds = kPatienceSeconds);

// The child's main: an exit code.
[[nodiscard]] int runWorker();

}  // namespace tessera::measure
