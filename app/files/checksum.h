// A 64-bit checksum of bytes: detects torn records of a journal, and files written by others.
//
//     checksum("") == checksum("")      checksum("a") != checksum("b")
//
// Law: it depends only on the bytes and their order, on every machine. Not cryptographic: it can be forged.
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera {

[[nodiscard]] std::uint64_t checksum(std::string_view bytes);

}  // namespace tessera
