// A 64-bit checksum of bytes: what tells a torn record of a journal, and a file that somebody else has written.
//
//     checksum("") == checksum("")      checksum("a") != checksum("b")
//
// Law: it depends on the bytes and their order alone, on every machine. Not for secrets: who wants to can forge one.
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera {

[[nodiscard]] std::uint64_t checksum(std::string_view bytes);

}  // namespace tessera
