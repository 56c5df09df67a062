// AccessFindings: what is wrong with an access, as findings and notes.
#pragma once

#include "solver/kernel/machine/findings.h"
#include "solver/kernel/machine/memories.h"

namespace tessera::kernel {

// The accessing thread or copy, for the shadows: `event` and `lane`, and the thread whose knowledge decides.
struct Actor {
  std::uint32_t event = 0;
  int lane = 0;
  std::uint32_t thread = 0;
  bool async = false;
  int step = -1;
  bool modifies = false;  // its write first reads: an atomic
  [[nodiscard]] std::uint32_t me() const { return thread + static_cast<std::uint32_t>(lane); }
};

class AccessFindings {
 public:
  AccessFindings(const Program& program, const Memories& memories, Findings& findings)
      : program_(program), memories_(memories), findings_(findings) {}

  void outOfBounds(const Actor& a, ptx::Space space, u64 address, int width);
  void misaligned(const Actor& a, const Target& target, int width);
  void uninitialised(const Actor& a, const Target& target, int width);
  // `kind`: Race; or Benign, Unknown for two writes of one value, in every run or in this one.
  void race(const Actor& a, const Target& target, int width, const Event& other, const Conflict& conflict, bool write,
            Verdict kind);
  // An access to the shared memory of another block, which may have ended.
  void afterEnd(const Actor& a, const Target& target, int width);
  // Faults that no GPU detects.
  void besideLocals(const Actor& a, const Target& target, int width);
  void neverWritten(const Actor& a, const Target& target);

  // Who accessed: a thread, or the one that started a bulk copy.
  [[nodiscard]] std::uint32_t threadOf(const Event& event, int lane) const;
  void addThread(std::uint32_t agent, std::uint32_t thread) { agents_[agent] = thread; }  // of a bulk copy
  void note(int step, const std::string& what) {
    notes_.try_emplace(step, "line " + std::to_string(lineOf(step)) + ": " + what);
  }
  [[nodiscard]] const std::map<int, std::string>& notes() const { return notes_; }  // by step

 private:
  // A finding at the target; null if it was reported before.
  Finding* at(const Actor& a, const Target& target, int width, Verdict kind, int other = -1, int detail = 0);
  [[nodiscard]] int lineOf(int step) const { return program_.steps[static_cast<std::size_t>(step)].source->line; }

  const Program& program_;
  const Memories& memories_;
  Findings& findings_;
  std::map<std::uint32_t, std::uint32_t> agents_;
  std::map<int, std::string> notes_;
};

}  // namespace tessera::kernel
