// FileStamp: the identity of a file when last seen, to detect changes by others.
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

}  // namespace tessera
