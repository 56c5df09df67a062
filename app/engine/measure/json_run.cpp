#include "app/engine/measure/json_run.h"

#include <map>
#include <optional>
#include <type_traits>

namespace tessera {
namespace {

using namespace measure;

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
