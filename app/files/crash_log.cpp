#include "app/files/crash_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <random>
#include <set>

#include "app/files/file_stamp.h"

namespace tessera {
namespace {

constexpr std::string_view kEnding = ".running";

std::uint64_t keyOf(std::string_view text) { return std::max<std::uint64_t>(checksum(text), 1); }

}  // namespace

CrashLog::~CrashLog() {
  Slot* const slots = slots_.exchange(nullptr);
  for (std::size_t k = 0; slots != nullptr && k < kSlots; ++k) slots[k] = 0;
  if (slots != nullptr) ::munmap(slots, kBytes);
  if (file_ < 0) return;
  if (blamed_.empty() || slots == nullptr) ::unlink(path_.c_str());
  ::close(file_);
}

// Creates this process's file: zeros are free slots.
void CrashLog::create(const std::string& folder) {
  std::random_device random;
  path_ = (std::filesystem::path(folder) / fmt::format("{:08x}{:08x}{}", random(), random(), kEnding)).string();
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file_ < 0) return;
  void* const place = ::flock(file_, LOCK_EX | LOCK_NB) == 0 && ::ftruncate(file_, kBytes) == 0
                          ? ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0)
                          : MAP_FAILED;
  if (place != MAP_FAILED) slots_ = static_cast<Slot*>(place);
}

// Writes the blamed texts into the file; false if they do not fit or there is no file.
bool CrashLog::keep() {
  Slot* const slots = slots_;
  if (slots == nullptr) return false;
  std::size_t k = kSlots;
  for (auto it = blamed_.begin(); it != blamed_.end() && k < kSlots + kBlamed; ++it) slots[k++] = it->first;
  while (k < kSlots + kBlamed) slots[k++] = 0;
  return blamed_.size() <= kBlamed;
}

// Reads the file of an earlier process; a living one holds the lock. The file is deleted once ours contains the same.
void CrashLog::learn(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  if (::flock(file, LOCK_EX | LOCK_NB) == 0) {
    std::array<std::uint64_t, kSlots + kBlamed> keys{};
    const ssize_t n = ::read(file, keys.data(), sizeof keys);
    for (std::size_t k = 0; n > 0 && k < static_cast<std::size_t>(n) / sizeof keys[0]; ++k)
      if (keys[k] != 0) blamed_.emplace(keys[k], false);
    if (keep()) ::unlink(path.c_str());
  }
  ::close(file);
}

void CrashLog::open(const std::string& folder) {
  const std::lock_guard lock(mutex_);
  if (file_ >= 0) return;
  std::error_code failed;
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed))
    if (entry.path().extension() == kEnding) left.push_back(entry.path().string());
  create(folder);
  for (const std::string& path : left) learn(path);
}

bool CrashLog::blames(std::string_view text) const {
  const std::lock_guard lock(mutex_);
  return !blamed_.empty() && blamed_.count(keyOf(text)) != 0;
}

void CrashLog::keepOnly(const std::vector<std::string_view>& texts) {
  const std::lock_guard lock(mutex_);
  std::set<std::uint64_t> there;
  for (const std::string_view text : texts) there.insert(keyOf(text));
  for (auto it = blamed_.begin(); it != blamed_.end();) {
    const bool now = there.count(it->first) != 0;
    const bool edited = it->second && !now;
    it->second = now;
    it = edited ? blamed_.erase(it) : std::next(it);
  }
  keep();
}

void CrashLog::forget() {
  const std::lock_guard lock(mutex_);
  blamed_.clear();
  keep();
}

bool CrashLog::empty() const {
  const std::lock_guard lock(mutex_);
  return blamed_.empty();
}

CrashLog::Mark::Mark(CrashLog& log, std::string_view text) {
  Slot* const slots = log.slots_;
  if (slots == nullptr) return;
  const std::uint64_t key = keyOf(text);
  for (std::size_t k = 0; k < kSlots && slot_ == nullptr; ++k) {
    std::uint64_t unused = 0;
    if (slots[k].compare_exchange_strong(unused, key)) slot_ = &slots[k];
  }
}

CrashLog::Mark::~Mark() {
  if (slot_ != nullptr) slot_->store(0);
}

}  // namespace tessera
