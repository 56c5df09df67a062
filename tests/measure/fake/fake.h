// Shared parts of the fake CUDA libraries. The variable TESSERA_FAKE sets their behaviour, as words separated by
// commas:
//
//     no-device stub devices=0 driver=10020 name=X major=9 minor=0 memory=4096 image no-jit stuck launch map
//     no-stream no-capture bad-capture no-instance no-graph-launch
//     latency=3 gap=0 cold=40 hot=40 first=0 slow=0 cache=1024 depth=1024 tick=0 busy=1 blas=40
//     stall=0 stalled=3000                                                     the simulated clock
//
// fake_nvrtc.so "compiles" by returning the text. fake_cuda.so finds the kernel's name in it and runs a function of
// that name on host memory: one of fake_cuda.cpp, or one that a test has registered.
#pragma once

#include <cstdlib>
#include <string>

inline std::string fakeSetting(const std::string& name, const std::string& otherwise = "") {
  const char* const all = std::getenv("TESSERA_FAKE");
  std::string left = all == nullptr ? "" : all;
  while (!left.empty()) {
    const std::size_t comma = left.find(',');
    const std::string word = left.substr(0, comma);
    if (word == name) return "1";
    if (word.rfind(name + "=", 0) == 0) return word.substr(name.size() + 1);
    if (comma == std::string::npos) break;
    left.erase(0, comma + 1);
  }
  return otherwise;
}
inline bool fakeIs(const std::string& name) { return !fakeSetting(name).empty(); }

// A kernel on host memory: the launch and its arguments, as cuLaunchKernel gets them.
using FakeKernel = void (*)(unsigned blocks, unsigned threads, void** arguments);
