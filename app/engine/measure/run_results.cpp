#include "app/engine/measure/run_results.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/engine/measure/comparison_json.h"
#include "app/files/file_stamp.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kWhat = "tessera runs";

std::string word(const Json& j, const char* key) {
  const auto found = j.find(key);
  return found != j.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

std::string programSum(const graphene::Listing& listing) { return fmt::format("{:016x}", checksum(listing.text)); }

std::optional<KeptRun> RunResults::find(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto found = kept_.find(key);
  return found == kept_.end() ? std::nullopt : std::optional(found->second);
}

void RunResults::keep(KeptRun run) {
  const std::lock_guard lock(mutex_);
  std::string key = run.key;
  kept_.insert_or_assign(std::move(key), std::move(run));
  ++revision_;
}

void RunResults::ask(const std::string& key) {
  const std::lock_guard lock(mutex_);
  asked_.insert(key);
}

bool RunResults::takeAsked(const std::string& key) {
  const std::lock_guard lock(mutex_);
  return asked_.erase(key) > 0;
}

bool RunResults::empty() const {
  const std::lock_guard lock(mutex_);
  return kept_.empty();
}

std::uint64_t RunResults::revision() const {
  const std::lock_guard lock(mutex_);
  return revision_;
}

std::string RunResults::text() const {
  const std::lock_guard lock(mutex_);
  Json j = {{"what", kWhat}, {"version", 1}, {"runs", Json::array()}};
  for (const auto& [key, run] : kept_)
    j["runs"].push_back({{"statement", key}, {"program", run.program}, {"result", Json::parse(jsonOf(run.table))}});
  return j.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<void> RunResults::read(std::string_view text) {
  const Json j = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const std::lock_guard lock(mutex_);
  kept_.clear();
  asked_.clear();
  ++revision_;
  if (!j.is_object() || word(j, "what") != kWhat || !j.contains("runs") || !j["runs"].is_array())
    return Diag{"the file contains no run results"};
  for (const Json& run : j["runs"]) {
    if (!run.is_object() || !run.contains("result")) continue;
    auto table = readComparisonJson(run["result"].dump(-1, ' ', false, Json::error_handler_t::replace));
    const std::string key = word(run, "statement");
    if (table && !key.empty()) kept_.insert_or_assign(key, KeptRun{key, word(run, "program"), *std::move(table)});
  }
  return {};
}

void RunResults::clear() {
  const std::lock_guard lock(mutex_);
  kept_.clear();
  asked_.clear();
  ++revision_;
}

}  // namespace tessera
