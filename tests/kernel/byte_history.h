// ByteHistory: the bytes of a memory of the second machine (one_by_one.h), with every access that was made to each, and
// which of them happened before an access.
//
//     thread 0 writes byte 4 at its time 7, thread 1 reads it      a race, unless thread 1 knows of 7 or later
//
// Laws: nothing is merged or forgotten. Two writes of one value that nothing orders are no race, nor are two strong
// accesses. Reading a byte that was never written is a fault.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/types.h"

namespace tessera::test {

struct Fault {
  std::string what;
};

// The latest event of each thread, and of its copies, that happened before.
struct Clocks {
  std::vector<std::uint32_t> threads, copies;
  void join(const Clocks& other);
};

struct Note {  // an access to a byte
  std::uint32_t thread = 0, time = 0, copy = 0;
  bool strong = false;
  std::uint8_t value = 0;
  bool operator==(const Note&) const = default;
};

struct ByteHistory {
  std::vector<std::uint8_t> bytes;
  std::vector<char> defined;
  std::vector<std::vector<Note>> reads, writes;
  std::map<u64, Clocks> handed;  // by atomics

  struct Access {
    std::uint32_t thread = 0, copy = 0;  // copy: its number, 0 for none
    bool strong = false;
    const Clocks* known = nullptr;  // by the thread
  };

  void resize(std::size_t n, bool known);
  // Throws the fault "race". `written`: the bytes of a write, or null.
  void note(const Access& access, u64 offset, int width, const std::uint8_t* written);
  void read(u64 offset, int width, std::uint8_t* into) const;  // throws the fault "uninitialised"
  void write(u64 offset, int width, const std::uint8_t* from);
};

// An asynchronous copy, made early or late.
struct PendingCopy {
  ByteHistory *to = nullptr, *from = nullptr;
  u64 toOffset = 0, fromOffset = 0;
  int bytes = 0, given = 0;
  bool made = false;
  void make();
};

}  // namespace tessera::test
