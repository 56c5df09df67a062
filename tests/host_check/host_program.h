// HostProgram: the system's C++ compiler compiles CUDA texts with assets/codegen/tessera_host.h into one executable.
// Its kernels run on bytes, each run in a separate process, so an error in a text ends only that process.
//
//     HostProgram p({{text, {"C_MatMul"}}});
//     HostRun r = p.run({.text = 0, .kernel = 0, .blocks = 64, .threads = 256}, {a, b, c});
//     r.wrong     "block 0, thread 0 waits at __syncthreads(), and thread 16 is at its end: they never meet"
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::host_check {

struct HostText {
  std::string text;
  std::vector<std::string> kernels;  // names of its __global__ functions
};

using Bytes = std::vector<unsigned char>;

struct HostLaunch {
  std::size_t text = 0, kernel = 0;
  long blocks = 1, threads = 1;
  std::vector<int> sizes = {};  // after the pointers
  unsigned order = 0;           // of threads between barriers
  // By buffer: "-", or the tensor map that is handed over instead of its address: "16/3/64,1,64/..." bits of an
  // element, bits that are xored, and extent, stride and box of each dimension, innermost first. None: no maps.
  std::vector<std::string> maps = {};
};

struct HostRun {
  std::string wrong;  // empty: it ran, and wrote nothing beyond its buffers
  std::vector<Bytes> buffers;
};

class HostProgram {
 public:
  // One call of the compiler for all of them. Needs a compiler: hostCompiler() says whether there is one.
  explicit HostProgram(const std::vector<HostText>& texts);
  ~HostProgram();
  HostProgram(const HostProgram&) = delete;
  HostProgram& operator=(const HostProgram&) = delete;

  [[nodiscard]] bool built() const { return built_; }
  [[nodiscard]] const std::string& messages() const { return messages_; }  // of the compiler, warnings too
  [[nodiscard]] HostRun run(const HostLaunch& launch, const std::vector<Bytes>& buffers) const;

 private:
  std::filesystem::path folder_;
  std::string messages_;
  std::vector<std::size_t> kernels_;  // of each text, the first one's number
  bool built_ = false;
};

// $CXX, c++, g++ or clang++, the first that is there; empty: none.
[[nodiscard]] std::string hostCompiler();

}  // namespace tessera::host_check
