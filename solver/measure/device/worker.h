// Worker: runs a request in a separate process.
//
//     runWorker()                                  in the child: reads the request, executes it, reports, exits
//     inProcess({"/proc/self/exe", "measure-worker"}, request, memory, hooks)
//
// Why: a kernel that never ends cannot be stopped from inside its process. The driver waits for it in cuCtxDestroy, in
// cuModuleUnload and in a normal exit. Only killing the process by a signal stops it, because the kernel module then
// destroys its channel. Also, an out-of-bounds write makes the context of the whole process unusable. So the process
// that holds the worksheet never loads any part of CUDA: a child takes the hang, crash or out-of-memory, and the
// message reports how it ended.
//
// The child is a fresh program (posix_spawn), never a fork of a process with threads. It gets a socket as standard
// input and the buffers as shared memory on descriptor 3. It exits with its parent.
//
// Laws: returns after `seconds` of silence from the child; cancellation kills the child at once; the child is always
// waited for.
#pragma once

#include "solver/measure/device/execute.h"

namespace tessera::measure {

// Memory that can be passed to a child; zero-initialized.
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

// Allowed silence of a child beyond request.seconds: loading libraries and compiling take time.
inline constexpr double kSilenceSeconds = 120;

[[nodiscard]] Result<Report> inProcess(const std::vector<std::string>& command, const Request& request,
                                       const SharedMemory& memory, const Hooks& hooks = {},
                                       double silenceSeconds = kSilenceSeconds);

// The child's main; returns an exit code.
[[nodiscard]] int runWorker();

}  // namespace tessera::measure
