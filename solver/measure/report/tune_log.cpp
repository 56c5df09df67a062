#include "solver/measure/report/tune_log.h"

#include <fmt/format.h>

#include <array>
#include <set>
#include <tuple>

#include "solver/measure/predict/nsight.h"

namespace tessera::measure {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"right", "wrong", "refuted", "failed", "untimed"};
constexpr std::size_t kFields = 14, kFewFields = 9;

// Tabs and line ends separate fields and lines; in a field they are written as a backslash and a letter.
constexpr std::string_view kEscaped = "\\\t\n\r", kLetters = "\\tnr";
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const std::size_t at = kEscaped.find(c);
    if (at != std::string_view::npos) out += '\\';
    out += at == std::string_view::npos ? c : kLetters[at];
  }
  return out;
}
std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const std::size_t at = kLetters.find(text[++i]);
    out += at == std::string_view::npos ? text[i] : kEscaped[at];
  }
  return out;
}

bool readEntry(std::string_view line, TuneEntry& out) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t tab = line.find('\t');
    fields.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) break;
    line.remove_prefix(tab + 1);
  }
  if (fields.size() != kFields && fields.size() != kFewFields) return false;
  const auto result = std::ranges::find(kNames, fields[1]);
  if (result == kNames.end() || fields[0].empty()) return false;
  out.candidate = plain(fields[0]);
  out.result = static_cast<TuneResult>(result - kNames.begin());
  if (!readNumber(fields[2], out.median) || !readNumber(fields[3], out.lower) || !readNumber(fields[4], out.upper))
    return false;
  out.device = plain(fields[5]);
  out.driver = plain(fields[6]);
  out.date = plain(fields[7]);
  out.why = plain(fields[8]);
  if (fields.size() == kFewFields) return true;
  return readNumber(fields[9], out.registers) && readNumber(fields[10], out.spilledBytes) &&
         readNumber(fields[11], out.sharedBytes) && readNumber(fields[12], out.residentWarps) &&
         readNumber(fields[13], out.mostWarps);
}

// Whether a is preferred to b, for the same candidate.
bool better(const TuneEntry& a, const TuneEntry& b) {
  if (a.result != b.result) return a.result < b.result;
  if (a.median != b.median && a.result == TuneResult::Right)
    return b.median <= 0 || (a.median > 0 && a.median < b.median);
  return print(a) < print(b);
}

bool timed(const TuneEntry& e) { return e.result == TuneResult::Right && e.median > 0; }
bool untimed(const TuneEntry& e) { return e.result == TuneResult::Untimed; }
auto staticOrder(const TuneEntry& e) {
  return std::tuple(e.registers < 0, e.spilledBytes, -e.residentWarps, e.registers);
}

// The entries of merged(log, {}) that `keep` keeps, in the order of ranked().
template <class Keep>
std::vector<TuneEntry> rankedOnly(const TuneLog& log, Keep keep) {
  const std::vector<TuneEntry> all = merged(log, {}).entries;
  std::vector<TuneEntry> out;
  for (const std::size_t at : ranked(all))
    if (keep(all[at])) out.push_back(all[at]);
  return out;
}

}  // namespace

std::string_view name(TuneResult r) { return kNames[static_cast<std::size_t>(r)]; }

std::string print(const TuneEntry& e) {
  return fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", escaped(e.candidate), name(e.result),
                     e.median, e.lower, e.upper, escaped(e.device), escaped(e.driver), escaped(e.date), escaped(e.why),
                     e.registers, e.spilledBytes, e.sharedBytes, e.residentWarps, e.mostWarps);
}

std::string print(const TuneLog& log) {
  std::string out;
  for (const TuneEntry& e : log.entries) out += print(e) + "\n";
  return out;
}

TuneReading readTuneLog(std::string_view text) {
  TuneReading out;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      out.cutOff = true;
      break;
    }
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    TuneEntry entry;
    if (readEntry(line, entry))
      out.log.entries.push_back(std::move(entry));
    else
      ++out.skipped;
  }
  return out;
}

TuneLog merged(const TuneLog& a, const TuneLog& b) {
  std::map<std::string, TuneEntry> best;
  for (const TuneLog* log : {&a, &b}) {
    std::map<std::string, const TuneEntry*> last;
    for (const TuneEntry& e : log->entries) last[e.candidate] = &e;
    for (const auto& [candidate, entry] : last) {
      const auto [at, fresh] = best.try_emplace(candidate, *entry);
      if (!fresh && better(*entry, at->second)) at->second = *entry;
    }
  }
  TuneLog out;
  for (auto& [candidate, entry] : best) out.entries.push_back(std::move(entry));
  return out;
}

std::vector<std::size_t> ranked(const std::vector<TuneEntry>& entries) {
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < entries.size(); ++k)
    if (timed(entries[k]) || untimed(entries[k])) out.push_back(k);
  std::ranges::stable_sort(out, [&](std::size_t i, std::size_t j) {
    const TuneEntry &a = entries[i], &b = entries[j];
    if (timed(a) != timed(b)) return timed(a);
    return timed(a) ? a.median < b.median : staticOrder(a) < staticOrder(b);
  });
  return out;
}

std::vector<TuneEntry> ranking(const TuneLog& log) { return rankedOnly(log, timed); }
std::vector<TuneEntry> staticRanking(const TuneLog& log) { return rankedOnly(log, untimed); }

u64 textHash(std::string_view text) {
  u64 hash = 0xCBF29CE484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

bool Shard::owns(std::string_view candidate) const {
  u64 hash = textHash(candidate);
  hash ^= hash >> 32;
  return static_cast<int>(hash % static_cast<u64>(count)) == index;
}

Result<Shard> parseShard(std::string_view text) {
  Shard out;
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos && readNumber(text.substr(0, slash), out.index) &&
      readNumber(text.substr(slash + 1), out.count) && out.count >= 1 && out.index >= 0 && out.index < out.count)
    return out;
  return Diag{fmt::format("'{}' is not a shard", text.substr(0, 60)), "INDEX/COUNT, from 0/16 to 15/16"};
}

std::vector<std::string> left(const std::vector<std::string>& candidates, const TuneLog& log, const Shard& shard,
                              bool timed) {
  std::set<std::string> done;
  for (const TuneEntry& e : log.entries)
    if (!timed || e.result != TuneResult::Untimed) done.insert(e.candidate);
  std::vector<std::string> out;
  for (const std::string& c : candidates)
    if (shard.owns(c) && done.insert(c).second) out.push_back(c);
  return out;
}

}  // namespace tessera::measure
