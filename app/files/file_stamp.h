// FileStamp: the identity of a file when it was last read, which reveals changes by other programs.
//
//     StampedFile seen = *readStamped("sheet.tess", limit);     // its bytes and their stamp
//     lookAgain("sheet.tess", seen.stamp, limit).what           // Same
//     $ git checkout other-branch                               // another inode, other bytes
//     lookAgain("sheet.tess", seen.stamp, limit).what           // Changed, with their bytes
//
// Law: Same if and only if the bytes are the same (by checksum), even if the file was touched, moved and moved back, or
// rewritten with equal bytes. If size, time and inode are unchanged, the bytes are not read again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tessera {

struct FileStamp {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t modifiedNs = 0;
  std::uint64_t sum = 0;  // checksum of the bytes
  bool operator==(const FileStamp&) const = default;
};

struct StampedFile {
  std::string bytes;
  FileStamp stamp;
};

// Reads a whole regular file of at most maxBytes. Pipes and devices are rejected without blocking.
[[nodiscard]] Result<StampedFile> readStamped(const std::string& path, std::size_t maxBytes);

struct DiskLook {
  enum class What { Same, Changed, Deleted, Unreadable } what = What::Same;
  StampedFile now;  // for Same the stamp, for Changed also the bytes
  std::string why;  // for Unreadable
};
[[nodiscard]] DiskLook lookAgain(const std::string& path, const FileStamp& before, std::size_t maxBytes);

// A 64-bit checksum of bytes: detects torn records of a journal, and files written by others.
//
//     checksum("") == checksum("")      checksum("a") != checksum("b")
//
// Law: it depends only on the bytes and their order, on every machine. Not cryptographic: it can be forged.
[[nodiscard]] std::uint64_t checksum(std::string_view bytes);

// readBeside: reads a file named by another file whose text may be untrusted.
//
//     readBeside("kernels/mlp.graphene", "mlp_unfused.graphene")     kernels/mlp_unfused.graphene
//     readBeside("kernels/mlp.graphene", "../secret")                a Diag: it is in another folder
//
// Law: only a regular file in the first one's folder is opened: no path, no link, no pipe, which could block forever.
inline constexpr std::size_t kMostBytesBeside = std::size_t{64} << 20;

[[nodiscard]] Result<std::string> readBeside(const std::string& file, const std::string& name);

}  // namespace tessera
