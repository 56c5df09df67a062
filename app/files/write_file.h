// Atomic file writes: the bytes go into a new file in the same folder, which is then renamed.
//
//     writeWhole("x.svg", bytes)        x.svg is the old or the new one at every moment, also if the disk is full
//     writeWhole("link.svg", bytes)     link.svg -> pictures/a.svg: pictures/a.svg is written, the link is kept
//     writeWhole("/dev/full", bytes)    rejected: only regular files are replaced
//
// Laws: anything that is not a regular file (a device, a pipe, a folder) is unchanged. On any error the old file is
// unchanged and nothing is left beside it. The new file has the old one's permissions and, if the system allows it, its
// owner. A read-only file is not replaced, even if its folder is writable.
//
// A file with several names (hard links) keeps them all: its bytes are replaced in place. Meanwhile a complete copy of
// the new ones is beside it, and remains there as .tessera-*.part if the process ends in between.
//
// Why an unpredictable name, created with O_EXCL: in a folder writable by others (/tmp), a link planted under a
// predictable name would be followed to one of the user's files.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tessera {

struct WriteOptions {
  // A device, a pipe or an open file of a process (/dev/stdout) gets the bytes directly instead of a rejection.
  bool writeThrough = false;
  bool flushToDisk = false;  // before the rename: saved text survives a power failure
};

// The Diag contains the system's reason.
[[nodiscard]] Result<void> writeWhole(const std::string& path, std::string_view bytes,
                                      const WriteOptions& options = {});

// write(2) until everything is written, retrying after interrupts and waiting when it would block: 0, or errno.
[[nodiscard]] int writeAll(int descriptor, std::string_view bytes);
// read(2) until the end or until `into` has maxBytes, retrying after interrupts: 0, or errno.
[[nodiscard]] int readAll(int descriptor, std::size_t maxBytes, std::string& into);
// Puts a new name on the disk; errors of file systems without support are ignored.
void syncFolderOf(const std::string& path);

}  // namespace tessera
