// FileStamp: what a file was when it was last seen, so that a change by somebody else is noticed.
//
//     StampedFile seen = *readStamped("sheet.tess", limit);     // its bytes, and what tells them from others
//     lookAgain("sheet.tess", seen.stamp, limit).what           // Same
//     $ git checkout other-branch                               // another inode, other bytes
//     lookAgain("sheet.tess", seen.stamp, limit).what           // Changed, with their bytes
//
// Law: Same exactly when the bytes are the same (by checksum); a file that was touched, moved aside and back or written
// again with the same bytes is the same. When size, time and inode are as they were, the bytes are not read again.
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

// The whole regular file, at most maxBytes. A pipe or a device is refused, and never waited for.
[[nodiscard]] Result<StampedFile> readStamped(const std::string& path, std::size_t maxBytes);

struct DiskLook {
  enum class What { Same, Changed, Deleted, Unreadable } what = What::Same;
  StampedFile now;  // of Same the stamp, of Changed the bytes, too
  std::string why;  // of Unreadable
};
[[nodiscard]] DiskLook lookAgain(const std::string& path, const FileStamp& before, std::size_t maxBytes);

}  // namespace tessera
