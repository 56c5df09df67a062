#include "tests/kernel/byte_history.h"

#include <algorithm>
#include <array>

namespace tessera::test {

void Clocks::join(const Clocks& other) {
  if (threads.size() < other.threads.size()) threads.resize(other.threads.size());
  if (copies.size() < other.copies.size()) copies.resize(other.copies.size());
  for (std::size_t k = 0; k < other.threads.size(); ++k) threads[k] = std::max(threads[k], other.threads[k]);
  for (std::size_t k = 0; k < other.copies.size(); ++k) copies[k] = std::max(copies[k], other.copies[k]);
}

void ByteHistory::resize(std::size_t n, bool known) {
  bytes.resize(n);
  defined.assign(n, known ? 1 : 0);
  reads.resize(n);
  writes.resize(n);
}

void ByteHistory::note(const Access& access, u64 offset, int width, const std::uint8_t* written) {
  const Clocks& known = *access.known;
  for (int k = 0; k < width; ++k) {
    const std::size_t at = offset + static_cast<u64>(k);
    const Note mine{access.thread, known.threads[access.thread], access.copy, access.strong,
                    written != nullptr ? written[k] : std::uint8_t{0}};
    const auto clashes = [&](const Note& n, bool both) {
      const bool ordered = n.copy != 0 ? known.copies[n.thread] >= n.copy : known.threads[n.thread] >= n.time;
      if (ordered || (n.strong && mine.strong) || (n.copy != 0 && n.copy == mine.copy && n.thread == mine.thread))
        return false;
      return !(both && !n.strong && !mine.strong && n.value == mine.value);
    };
    for (const Note& n : writes[at])
      if (clashes(n, written != nullptr)) throw Fault{"race"};
    if (written != nullptr)
      for (const Note& n : reads[at])
        if (clashes(n, false)) throw Fault{"race"};
    auto& list = written != nullptr ? writes[at] : reads[at];
    if (list.empty() || !(list.back() == mine)) list.push_back(mine);
  }
}

void ByteHistory::read(u64 offset, int width, std::uint8_t* into) const {
  for (int k = 0; k < width; ++k) {
    const std::size_t at = offset + static_cast<u64>(k);
    if (defined[at] == 0) throw Fault{"uninitialised"};
    into[k] = bytes[at];
  }
}

void ByteHistory::write(u64 offset, int width, const std::uint8_t* from) {
  for (int k = 0; k < width; ++k) {
    bytes[offset + static_cast<u64>(k)] = from[k];
    defined[offset + static_cast<u64>(k)] = 1;
  }
}

void PendingCopy::make() {
  if (made) return;
  std::array<std::uint8_t, 16> moved{};
  from->read(fromOffset, bytes, moved.data());
  to->write(toOffset, bytes, moved.data());
  made = true;
}

}  // namespace tessera::test
