// Files are written whole or not at all: the bytes go into a new file in the same folder, which then takes the name.
//
//     writeWhole("x.svg", bytes)        x.svg is the old one or the new one at every moment, also when the disk is full
//     writeWhole("link.svg", bytes)     link.svg -> pictures/a.svg: pictures/a.svg is written, the link stays one
//     writeWhole("/dev/full", bytes)    refused: a name is only ever taken from a regular file
//
// Laws: what is no regular file (a device, a pipe, a folder) is still the same thing afterwards. On any error the old
// file is as it was and nothing is left beside it. The new file has the old one's permissions and, where the system
// allows it, its owner; a file that may not be written is not replaced either, although its folder would let us.
//
// A file with several names (hard links) keeps them all: its bytes are replaced in place, while a whole copy of the new ones
// lies beside it, where it stays as .tessera-*.part if the process ends in between.
//
// Why a name that nobody can guess, made with O_EXCL: in a folder that others can write to (/tmp), a link planted under
// a foreseeable name would be followed to a file of the user's.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tessera {

struct WriteOptions {
  // A device, a pipe or what a process has open (/dev/stdout) gets the bytes as they come, instead of a refusal.
  bool writeThrough = false;
  bool flushToDisk = false;  // before the name changes hands: what a person saved survives a power cut
};

// The Diag has the system's reason.
[[nodiscard]] Result<void> writeWhole(const std::string& path, std::string_view bytes,
                                      const WriteOptions& options = {});

// write(2) until everything is written, whatever interrupts it or makes it wait: 0, or errno.
[[nodiscard]] int writeAll(int descriptor, std::string_view bytes);

}  // namespace tessera
