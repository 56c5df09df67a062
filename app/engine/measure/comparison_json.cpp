#include "app/engine/measure/comparison_json.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>

namespace tessera {

namespace {

using Json = nlohmann::ordered_json;
using namespace measure;

constexpr std::array kKinds = {RowKind::Kernel, RowKind::Variant, RowKind::Library, RowKind::Unfused,
                               RowKind::Roofline};
constexpr std::array kAnswers = {Answer::NotCompared, Answer::Right, Answer::Wrong};

bool get(const Json& j, std::string& into) {
  if (!j.is_string()) return false;
  into = j.get<std::string>();
  return true;
}
template <class T>
requires std::is_arithmetic_v<T>
bool get(const Json& j, T& into) {
  if (std::is_floating_point_v<T> ? !j.is_number() : !j.is_number_integer()) return false;
  into = j.get<T>();
  return true;
}
template <class T>
bool get(const Json& j, std::optional<T>& into) {
  return get(j, into.emplace());
}
template <class Names>
bool getName(const Json& j, const Names& names, auto& into) {
  for (const auto each : names)
    if (j.is_string() && j.get_ref<const std::string&>() == name(each)) {
      into = each;
      return true;
    }
  return false;
}
bool get(const Json& j, RowKind& into) { return getName(j, kKinds, into); }
bool get(const Json& j, Answer& into) { return getName(j, kAnswers, into); }
bool get(const Json& j, std::map<std::string, i64>& into) {
  if (!j.is_object()) return false;
  for (const auto& [size, value] : j.items())
    if (!get(value, into[size])) return false;
  return true;
}

// Records the name of a member that cannot be read, otherwise "".
struct Reader {
  const Json& j;
  std::string& wrong;
  template <class T>
  void operator()(std::string_view column, T& member) const {
    const auto found = j.find(std::string(column));
    if (found != j.end() && !get(*found, member) && wrong.empty()) wrong = column;
  }
};

void add(JsonWriter& json, std::string_view column, const std::string& text) {
  if (!text.empty()) json.member(column, text);
}
void add(JsonWriter& json, std::string_view column, RowKind kind) { json.member(column, name(kind)); }
void add(JsonWriter& json, std::string_view column, Answer answer) { json.member(column, name(answer)); }
void add(JsonWriter& json, std::string_view column, const std::map<std::string, i64>& sizes) {
  json.key(column).beginObject();
  for (const auto& [size, value] : sizes) json.member(size, value);
  json.endObject();
}
template <class T>
requires std::is_arithmetic_v<T>
void add(JsonWriter& json, std::string_view column, T number) {
  if (number != 0) json.member(column, number);
}
template <class T>
void add(JsonWriter& json, std::string_view column, const std::optional<T>& some) {
  if (some) json.member(column, *some);
}

}  // namespace

std::string jsonOf(const ComparisonTable& table) {
  JsonWriter json;
  json.beginObject();
  addTable(json, table);
  return json.endObject().take();
}

Result<ComparisonTable> readComparisonJson(std::string_view text) {
  const Json j = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto rows = j.is_object() ? j.find("rows") : j.end();
  if (!j.is_object() || rows == j.end() || !rows->is_array())
    return Diag{"this is not a comparison table", "{\"program\":...,\"rows\":[...]}"};
  ComparisonTable out;
  out.seed = 0;
  std::string wrong;
  headColumns(out, Reader{j, wrong});
  for (const Json& row : *rows) {
    if (!row.is_object()) return Diag{"a row of a comparison table must be an object"};
    columns(out.rows.emplace_back(), Reader{row, wrong});
  }
  if (!wrong.empty()) return Diag{fmt::format("\"{}\" of a comparison table cannot be read", wrong)};
  return out;
}

void addTable(JsonWriter& json, const ComparisonTable& table) {
  headColumns(table, [&](std::string_view column, const auto& member) { add(json, column, member); });
  json.key("rows").beginArray();
  for (const ComparisonRow& row : table.rows) {
    json.beginObject();
    columns(row, [&](std::string_view column, const auto& member) { add(json, column, member); });
    json.endObject();
  }
  json.endArray();
}

void addRun(JsonWriter& json, const RanProgram& ran) {
  json.member("ok", true).member("kind", "measurement").member("text", summaryOf(ran));
  json.member("on", ran.table.device.empty() ? "emulator" : "device").member("right", ran.right());
  addTable(json, ran.table);
}

}  // namespace tessera
