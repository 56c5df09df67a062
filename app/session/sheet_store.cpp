#include "app/session/sheet_store.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <random>

#include "app/session/preferences.h"

namespace tessera {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kEnding = ".journal";
// The journal is rewritten when it exceeds the sheet's size plus kSlack, or half a second of replay.
constexpr std::size_t kSlack = std::size_t{1} << 20, kMostWork = std::size_t{4} << 30;

// A unique name among all windows.
std::string newId() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

std::time_t changedAt(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mtim.tv_sec : 0;
}

}  // namespace

bool sameFile(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code failed;
  return fs::absolute(a, failed).lexically_normal() == fs::absolute(b, failed).lexically_normal() ||
         fs::equivalent(a, b, failed);
}

void SheetStore::open(const std::string& folder, Journal::Pace pace) {
  folder_ = folder;
  pace_ = pace;
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (!failed) fs::permissions(folder_, fs::perms::owner_all, failed);
  if (failed) problem_ = fmt::format("cannot write '{}': {}", folder_, failed.message());
}

std::string SheetStore::pathOf(const std::string& id) const { return fmt::format("{}/{}{}", folder_, id, kEnding); }

std::string SheetStore::id() const { return journal_ ? fs::path(journal_->path()).stem().string() : std::string(); }

std::optional<SheetStore::Taken> SheetStore::read(const std::string& id) const {
  const auto journal = readJournal(pathOf(id));
  if (!journal.ok() || journal->records.empty()) return std::nullopt;
  auto state = replayed(journal->records);
  const auto first = summaryOf(journal->records.front());
  if (!state || !first) return std::nullopt;
  Taken taken{{id, {}, changedAt(pathOf(id))}, *std::move(state)};
  taken.sheet.summary = summaryOf(taken.state, journal->records.size() == 1 ? first->ended : Ended::No);
  return taken;
}

std::optional<std::string> SheetStore::textOf(const std::string& id) const {
  auto one = read(id);
  if (!one) return std::nullopt;
  return std::move(one->state.text);
}

std::vector<SheetStore::Sheet> SheetStore::listed(bool live) const {
  std::vector<Sheet> sheets;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(folder_, failed)) {
    const std::string id = entry.path().stem().string();
    if (entry.path().extension() != kEnding || id == this->id()) continue;
    if (journalIsLive(entry.path().string()) != live) continue;
    if (const auto one = read(id)) sheets.push_back(one->sheet);
  }
  std::ranges::sort(sheets,
                    [](const Sheet& a, const Sheet& b) { return a.when != b.when ? a.when > b.when : a.id < b.id; });
  return sheets;
}

std::optional<SheetStore::Taken> SheetStore::take(const std::string& id) {
  auto file = JournalFile::take(pathOf(id));
  if (!file.ok()) return std::nullopt;
  auto taken = read(id);
  if (taken) become(std::make_unique<Journal>(*std::move(file), pace_));
  return taken;
}

std::optional<SheetStore::Taken> SheetStore::takeFile(const std::string& path, std::uint64_t sum) {
  for (const Sheet& sheet : others()) {
    if (!sameFile(sheet.summary.path, path)) continue;
    const auto one = read(sheet.id);
    if (!one || one->state.stamp.sum != sum) continue;
    if (auto taken = take(sheet.id)) return taken;
  }
  return std::nullopt;
}

void SheetStore::forget(const std::string& id) {
  // Lock first: another window may have it by now.
  if (auto file = JournalFile::take(pathOf(id)); file.ok()) file->remove();
}

void SheetStore::begin(const Document& document) {
  auto file = JournalFile::create(pathOf(newId()));
  if (!file.ok()) {
    problem_ = file.error().message;
    return;
  }
  problem_.clear();
  become(std::make_unique<Journal>(*std::move(file), pace_));
  whole(document, Ended::No);
  prune();
}

void SheetStore::whole(const Document& document, Ended ended) {
  const std::string record = wholeRecord(document, ended);
  filePath_ = document.path();
  wholeBytes_ = record.size();
  recorded_ = replayWork_ = 0;
  journal_->rewrite(record);
}

void SheetStore::record(const Change& change, const Document& document) {
  if (!journal_) return begin(document);
  recorded_ += change.with.size() + 64;
  replayWork_ += document.text().size();
  const bool large = recorded_ > kSlack + wholeBytes_ || replayWork_ > kMostWork;
  if (change.kind == Change::Kind::Reset || document.path() != filePath_ || large || journal_->broken())
    return whole(document, Ended::No);
  journal_->append(changeRecord(change, document));
}

void SheetStore::end(const Document& document, Ended ended) {
  if (!journal_) return;
  const bool history = document.canUndo() || document.canRedo();
  const bool empty = document.text().empty() && document.path().empty();
  if (!history && (ended == Ended::Replaced ? !document.modified() : empty)) {
    journal_->remove();
  } else {
    whole(document, ended);
    if (const auto kept = journal_->flush(); !kept.ok()) problem_ = kept.error().message;
  }
  become(nullptr);
}

void SheetStore::become(std::unique_ptr<Journal> journal) {
  const std::lock_guard lock(opening_);
  journal_ = std::move(journal);
}

void SheetStore::settle() {
  const std::lock_guard lock(opening_);
  if (journal_) journal_->settle();
}

Result<void> SheetStore::flush() { return journal_ ? journal_->flush() : Result<void>(); }

std::string SheetStore::problem() const { return journal_ ? journal_->problem() : problem_; }

void SheetStore::prune() {
  std::vector<std::pair<std::time_t, std::string>> old;
  std::error_code failed;
  std::vector<fs::path> orphans;  // results of runs whose sheet is gone
  for (const auto& entry : fs::directory_iterator(folder_, failed)) {
    const std::string file = entry.path().filename().string();
    if (entry.path().extension() == kEnding) old.emplace_back(changedAt(entry.path().string()), entry.path().stem());
    if (file.ends_with(kRunsEnding) && !fs::exists(pathOf(file.substr(0, file.size() - kRunsEnding.size())), failed))
      orphans.push_back(entry.path());
  }
  for (const fs::path& path : orphans) fs::remove(path, failed);
  if (old.size() <= kKept) return;
  std::ranges::sort(old, std::greater<>());
  for (std::size_t k = kKept; k < old.size(); ++k) {
    const std::string& id = old[k].second;
    if (id == this->id() || journalIsLive(pathOf(id))) continue;
    const auto journal = readJournal(pathOf(id));
    if (journal.ok() && journal->records.empty() && !journal->damaged) forget(id);  // killed before any record
    const auto one = read(id);
    if (one && (one->sheet.summary.ended == Ended::Replaced || !one->sheet.summary.modified)) forget(id);
  }
}

std::string fileNameOf(const std::string& path, const char* otherwise) {
  return path.empty() ? otherwise : fs::path(path).filename().string();
}

std::string timeText(std::time_t when, const char* format) {
  std::tm then{};
  ::localtime_r(&when, &then);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &then)};
}

namespace {

constexpr std::size_t kMostRunBytes = std::size_t{16} << 20;

std::string fileOf(const std::string& path, const std::string& journalId) {
  const std::string ending(SheetStore::kRunsEnding);
  if (!path.empty()) return path + ending;
  return journalId.empty() ? "" : sheetsFolder() + "/" + journalId + ending;
}

}  // namespace

Result<void> KeptRuns::load(RunResults& results, const std::string& path, const std::string& journalId) {
  results.clear();
  at_ = fileOf(path, journalId);
  Result<void> read;
  std::error_code failed;
  if (!at_.empty() && fs::is_regular_file(at_, failed)) {
    const auto text = readFile(at_, kMostRunBytes);
    read = text.ok() ? results.read(*text) : Result<void>(text.error());
  }
  written_ = results.revision();
  if (!read.ok()) return Diag{"cannot read earlier run results: " + read.error().message};
  return {};
}

Result<void> KeptRuns::keep(const RunResults& results, const std::string& path, const std::string& journalId) {
  if (results.revision() == written_ && (results.empty() || path.empty() || fileOf(path, journalId) == at_)) return {};
  written_ = results.revision();
  at_ = fileOf(path, journalId);
  if (at_.empty() || results.empty()) return {};
  const auto written = writeFileAtomically(at_, results.text());
  const std::string before = std::exchange(problem_, written.ok() ? "" : written.error().message);
  if (!problem_.empty() && problem_ != before) return Diag{"cannot save run results: " + problem_};
  return {};
}

}  // namespace tessera
