// Every row of cute.jsonl that this version's worksheet supports, as statements of scripts (the statements of the
// cases' own contract), and compared as that contract states:
//   - layout text: blanks, static marks and the strides of extent-1 modes do not count; `map`, if present, is the
//     whole function and decides;
//   - composition with functionally_correct == false: the expected text is CuTe's wrong result; the right answer is a
//     refusal that names a witness, or an answer with R(i) = A(B(i));
//   - errors: any refusal.
// kLater names the kinds that belong to later notations, so that no kind is skipped silently.
#include "tests/support/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "app/engine/engine.h"
#include "core/layout/layout.h"
#include "core/notation/axe/notation.h"
#include "core/notation/cute/notation.h"
#include "core/notation/indexing/notation.h"
#include "core/notation/linear/notation.h"
#include "core/notation/tla/notation.h"
#include "core/notation/triton/notation.h"
#include "core/notation/xla/notation.h"
#include "tests/support/ask.h"

using namespace tessera;
using Json = nlohmann::json;

namespace {

std::string textOf(const Json& j) { return j.is_string() ? j.get<std::string>() : j.dump(); }

std::string withoutBlanksAndMarks(const std::string& text) {
  std::string out;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const bool mark = text[k] == '_' && k + 1 < text.size() &&
                      (std::isdigit(static_cast<unsigned char>(text[k + 1])) != 0 || text[k + 1] == '-');
    if (!mark && std::isspace(static_cast<unsigned char>(text[k])) == 0) out += text[k];
  }
  return out;
}

// The stride of each extent-1 leaf set to 0.
cute::IntTuple forgetStrides(const cute::IntTuple& shape, const cute::IntTuple& stride) {
  if (shape.isLeaf()) return shape.isKnown() && shape.value() == 1 ? cute::IntTuple(0) : stride;
  std::vector<cute::IntTuple> out;
  for (int k = 0; k < shape.rank(); ++k) out.push_back(forgetStrides(shape.mode(k), stride.mode(k)));
  return cute::IntTuple::tuple(std::move(out));
}

bool sameLayout(const cute::Layout& a, const cute::Layout& b) {
  return a.shape() == b.shape() && forgetStrides(a.shape(), a.stride()) == forgetStrides(b.shape(), b.stride());
}

const cute::Layout* layoutIn(const Value& value) {
  if (const auto* layout = as<cute::Layout>(value)) return layout;
  if (const auto* tla = as<tla::Layout>(value)) return &tla->layout();
  return nullptr;
}

// "" when the answer is right, else why not.
std::string compareText(const Answer& answer, const std::string& expected) {
  if (!answer.ok) return "refused: " + answer.text;
  if (withoutBlanksAndMarks(answer.text) == withoutBlanksAndMarks(expected)) return "";
  const Answer wanted = ask(expected);
  if (wanted.ok && layoutIn(*answer.value) != nullptr && layoutIn(*wanted.value) != nullptr &&
      sameLayout(*layoutIn(*answer.value), *layoutIn(*wanted.value))) {
    return "";
  }
  return fmt::format("got {}, expected {}", answer.text, expected);
}

std::string compareMap(const Answer& answer, const Json& map) {
  if (!answer.ok) return "refused: " + answer.text;
  const cute::Layout* layout = layoutIn(*answer.value);
  if (layout == nullptr || !layout->isPlain()) return "no plain layout: " + answer.text;
  // map holds the first values (all of them for small layouts).
  if (layout->size() < static_cast<i64>(map.size())) return fmt::format("size {} of {}", layout->size(), answer.text);
  for (std::size_t i = 0; i < map.size(); ++i) {
    const i64 got = (*layout)(static_cast<i64>(i));
    if (got != map[i].get<i64>())
      return fmt::format("{} at {} is {}, expected {}", answer.text, i, got, map[i].get<i64>());
  }
  return "";
}

// G(L(i)) == i: a right answer where CuTe refuses is welcome.
bool leadsBack(const Json& row, const Answer& answer) {
  const cute::Layout* g = row["kind"] == "left_inverse" && answer.value ? layoutIn(*answer.value) : nullptr;
  const Result<cute::Layout> l =
      g ? cute::parseLayout(textOf(row["inputs"]["A"])) : Result<cute::Layout>(cute::Layout());
  if (g == nullptr || !l) return false;
  for (i64 i = 0; i < l->size(); ++i) {
    if ((*g)((*l)(i)) != i) return false;
  }
  return true;
}

std::string compare(const Json& row, const Answer& answer) {
  const Json& expected = row["expected"];
  if (expected.is_object() && expected.contains("error"))
    return answer.ok && !leadsBack(row, answer) ? "accepted as " + answer.text : "";
  if (row.contains("map")) return compareMap(answer, row["map"]);
  if (expected.is_boolean()) return compareText(answer, expected.get<bool>() ? "true" : "false");
  return compareText(answer, textOf(expected));
}

std::string tiler(const Json& in) {
  std::string out = "<";
  for (const Json& entry : in["tiler"]) out += (out.size() > 1 ? ", " : "") + textOf(entry);
  return out + ">";
}
std::string second(const Json& in) {
  if (in.contains("B")) return textOf(in["B"]);
  return in.contains("tiler") && in["tiler"].is_array() ? tiler(in) : textOf(in.value("tiler", Json()));
}
std::string in(const Json& row, const char* key) {
  const Json& inputs = row["inputs"];
  return inputs.contains(key) ? textOf(inputs[key]) : fmt::format("<no {}>", key);
}
std::string composed(const Json& row) {
  const Json& i = row["inputs"];
  return fmt::format("{} o {} o {}", textOf(i["swizzle"]), i.contains("offset") ? textOf(i["offset"]) : "0",
                     textOf(i["layout"]));
}

using Ask = std::function<std::string(const Json&)>;
using Judge = std::function<std::string(const Json&)>;

// f(layout) or f(A)
Ask one(const std::string& f, const char* key) {
  return [=](const Json& row) { return fmt::format("{}({})", f, in(row, key)); };
}
Ask two(const std::string& f) {
  return [=](const Json& row) { return fmt::format("{}({}, {})", f, in(row, "A"), second(row["inputs"])); };
}
Ask twoOf(const std::string& f, const char* a, const char* b) {
  return [=](const Json& row) { return fmt::format("{}({}, {})", f, in(row, a), in(row, b)); };
}
Ask three(const std::string& f, const char* a, const char* b, const char* c) {
  return [=](const Json& row) { return fmt::format("{}({}, {}, {})", f, in(row, a), in(row, b), in(row, c)); };
}

// The kinds whose answer is one statement's text.
std::map<std::string, Ask> statements() {
  std::map<std::string, Ask> t;
  for (const char* f : {"size", "cosize", "rank", "depth", "coalesce", "filter", "filter_zeros", "flatten", "nullspace",
                        "max_alignment", "make_layout_like", "make_fragment_like", "print_layout"}) {
    t[f] = one(f, "layout");
  }
  for (const char* f : {"right_inverse", "left_inverse"}) t[f] = one(f, "A");
  for (const char* f : {"make_layout_left", "make_layout_right"}) t[f] = one(f, "shape");
  for (const char* f : {"logical_divide", "zipped_divide", "tiled_divide", "flat_divide", "logical_product",
                        "zipped_product", "tiled_product", "flat_product", "blocked_product", "raked_product",
                        "max_common_vector", "max_common_layout", "compatible", "shape_div", "domain_distribute"}) {
    t[f] = two(f);
  }
  t["make_ordered_layout"] = twoOf("make_ordered_layout", "shape", "order");
  t["crd2idx"] = [](const Json& r) { return fmt::format("{}({})", in(r, "layout"), in(r, "coord")); };
  t["idx2crd"] = [](const Json& r) {
    return r["inputs"].contains("stride")
               ? fmt::format("idx2crd({}, {}, {})", in(r, "index"), in(r, "shape"), in(r, "stride"))
               : fmt::format("idx2crd({}, {})", in(r, "index"), in(r, "shape"));
  };
  t["coalesce_profile"] = twoOf("coalesce", "layout", "profile");
  t["composition_tiler"] = two("composition");
  t["logical_divide_tiler"] = two("logical_divide");
  t["complement"] = t["complement_shape"] = [](const Json& r) {
    return r["inputs"].contains("cotarget") ? twoOf("complement", "A", "cotarget")(r) : one("complement", "A")(r);
  };
  t["slice"] = twoOf("slice", "coord", "layout");
  t["dice"] = twoOf("dice", "coord", "layout");
  t["slice_and_offset"] = twoOf("slice_and_offset", "coord", "layout");
  t["group"] = three("group", "layout", "begin", "end");
  t["take"] = three("take", "layout", "begin", "end");
  t["select"] = twoOf("select", "layout", "modes");
  t["upcast"] = twoOf("upcast", "layout", "N");
  t["downcast"] = twoOf("downcast", "layout", "N");
  t["recast_layout"] = three("recast_layout", "layout", "old_bits", "new_bits");
  t["tile_to_shape"] = [](const Json& r) {
    return r["inputs"].contains("order") ? three("tile_to_shape", "A", "shape", "order")(r)
                                         : twoOf("tile_to_shape", "A", "shape")(r);
  };
  t["swizzle"] = [](const Json& r) { return fmt::format("{}({})", in(r, "swizzle"), in(r, "x")); };
  t["swizzle_masks"] = one("swizzle_masks", "swizzle");
  t["make_swizzle"] = twoOf("make_swizzle", "Y", "Z");
  t["swizzle_compose"] = [](const Json& r) { return in(r, "A") + " o " + in(r, "B"); };
  t["swizzle_upcast"] = twoOf("upcast", "swizzle", "N");
  t["swizzle_downcast"] = twoOf("downcast", "swizzle", "N");
  t["composed_print"] = composed;
  t["composed_eval"] = [](const Json& r) { return fmt::format("({})({})", composed(r), in(r, "coord")); };
  t["composed_cosize"] = [](const Json& r) { return fmt::format("cosize({})", composed(r)); };
  t["composed_slice"] = [](const Json& r) {
    return fmt::format("slice_and_offset({}, {})", in(r, "coord"), composed(r));
  };
  t["composed_upcast"] = [](const Json& r) { return fmt::format("upcast({}, {})", composed(r), in(r, "N")); };
  t["composed_downcast"] = [](const Json& r) { return fmt::format("downcast({}, {})", composed(r), in(r, "N")); };
  t["composed_right_inverse"] = [](const Json& r) { return fmt::format("right_inverse({})", composed(r)); };
  t["composed_max_common_vector"] = [](const Json& r) {
    const Json& i = r["inputs"];
    return fmt::format("max_common_vector({}, {})", composed(r), textOf(i["B"]));
  };
  t["composed_zipped_divide"] = [](const Json& r) {
    return fmt::format("zipped_divide({}, {})", composed(r), in(r, "tiler"));
  };
  t["composed_tile_to_shape"] = [](const Json& r) {
    return fmt::format("tile_to_shape({}, {})", composed(r), in(r, "shape"));
  };
  t["parse_error"] = [](const Json& r) { return in(r, "text"); };
  t["tla_crd2offset"] = t["tla_error"] = twoOf("crd2offset", "coord", "layout");
  return t;
}

// ---- kinds whose expected value has more than one text in it ----

std::string judgeComposition(const Json& row) {
  const std::string a = in(row, "A"), b = in(row, "B");
  const Answer answer = ask(fmt::format("composition({}, {})", a, b));
  if (!row.value("functionally_correct", true)) {
    if (!answer.ok)
      return answer.text.find("i = ") != std::string::npos || answer.text.find('(') != std::string::npos
                 ? ""
                 : "no witness: " + answer.text;
  } else if (const std::string wrong = compare(row, answer); !wrong.empty()) {
    return wrong;
  }
  if (!answer.ok) return "";
  const Answer outer = ask(a), inner = ask(b);
  const cute::Layout* r = layoutIn(*answer.value);
  const cute::Layout* f = outer.ok ? layoutIn(*outer.value) : nullptr;
  const cute::Layout* g = inner.ok ? layoutIn(*inner.value) : nullptr;
  if (r == nullptr || f == nullptr || g == nullptr || !r->isPlain() || !f->isPlain() || !g->isPlain()) return "";
  if (r->size() != g->size()) return fmt::format("size {} instead of {}", r->size(), g->size());
  for (i64 i = 0; i < std::min<i64>(g->size(), 4096); ++i) {
    const auto at = f->crd2idx(cute::IntTuple((*g)(i)));
    if (!at || (*r)(i) != at->value()) return fmt::format("{} is not A(B({}))", answer.text, i);
  }
  return "";
}

std::string judgeParse(const Json& row) {
  const Json& e = row["expected"];
  const std::string text = in(row, "text");
  Answer answer = ask(text);
  if (!answer.ok) return "refused: " + answer.text;
  if (e.contains("shape_only")) return compareText(ask(fmt::format("make_layout({})", text)), textOf(e["layout"]));
  if (e.contains("tiler")) return std::holds_alternative<cute::Tiler>(*answer.value) ? "" : "no tiler: " + answer.text;
  if (e.contains("swizzle") && !e.contains("layout")) {
    const auto* s = as<cute::Swizzle>(*answer.value);
    if (s == nullptr) return "no swizzle: " + answer.text;
    return Json::array({s->bits(), s->base(), s->shift()}) == e["swizzle"] ? "" : "another swizzle: " + answer.text;
  }
  if (e.contains("shape")) {
    if (const std::string wrong = compareText(ask(fmt::format("shape({})", text)), textOf(e["shape"])); !wrong.empty())
      return wrong;
  }
  if (e.contains("layout")) {
    if (const auto* tensor = as<cute::ComposedLayout>(*answer.value))
      answer = {true, print(tensor->inner()), tensor->inner(), {}};
    if (const std::string wrong = compareText(answer, textOf(e["layout"])); !wrong.empty()) return wrong;
  }
  for (const char* f : {"size", "cosize", "rank", "depth"}) {
    if (!e.contains(f)) continue;
    if (const std::string wrong = compareText(ask(fmt::format("{}({})", f, text)), textOf(e[f])); !wrong.empty())
      return wrong;
  }
  for (const auto& [key, value] : e.items()) {
    if (key.substr(0, 5) != "eval_") continue;
    if (const std::string wrong = compareText(ask(fmt::format("({})({})", text, key.substr(5))), textOf(value));
        !wrong.empty()) {
      return wrong;
    }
  }
  return "";
}

std::string tlaLayout(const Json& i) {
  if (i.contains("layout")) return textOf(i["layout"]);
  const std::string tag = textOf(i["tag"]);
  const std::string sizes = tag == "VectorLayout" ? textOf(i["cols"]) : textOf(i["rows"]) + ", " + textOf(i["cols"]);
  return fmt::format("{}<{}>({})", tag, textOf(i["elem_bytes"]), sizes);
}

std::string judgeTla(const Json& row) {
  const Json& i = row["inputs"];
  const Json& e = row["expected"];
  std::string statement;
  if (i.contains("expr")) {
    const std::string expr = textOf(i["expr"]);
    statement = expr.substr(0, 14) == "MakeLayoutFmap" ? "MakeLayoutFmap<half>(2, 4, 8, 6)"
                                                       : "MakeLayoutFilter<half>(2, 3, 3, 20)";
  } else {
    statement = tlaLayout(i);
  }
  if (i.contains("tile")) {
    std::string tile, coord;
    for (const Json& n : i["tile"]) tile += textOf(n) + ",";
    for (const Json& n : i["coord"]) coord += textOf(n) + ",";
    statement = fmt::format("MakeLayoutTile({}, ({}), ({}))", statement, tile, coord);
  }
  const Answer answer = ask(statement);
  if (!answer.ok) return "refused: " + answer.text;
  const cute::Layout* layout = layoutIn(*answer.value);
  const Answer wanted = ask(textOf(e["layout"]));
  if (layout == nullptr || !wanted.ok || !sameLayout(*layout, *layoutIn(*wanted.value))) {
    return fmt::format("got {}, expected {}", answer.text, textOf(e["layout"]));
  }
  if (const std::string wrong = compareText(ask(fmt::format("origin_shape({})", statement)), textOf(e["origin_shape"]));
      !wrong.empty()) {
    return wrong;
  }
  if (!e.contains("offsets")) return "";
  for (const auto& [coord, offset] : e["offsets"].items()) {
    if (const std::string wrong = compareText(ask(fmt::format("{}({})", statement, coord)), textOf(offset));
        !wrong.empty()) {
      return coord + ": " + wrong;
    }
  }
  return "";
}

std::string judgeTlaTable(const Json& row) {
  const std::string layout = in(row, "layout");
  for (std::size_t r = 0; r < row["expected"].size(); ++r) {
    for (std::size_t c = 0; c < row["expected"][r].size(); ++c) {
      const std::string wrong = compareText(ask(fmt::format("{}({},{})", layout, r, c)), textOf(row["expected"][r][c]));
      if (!wrong.empty()) return wrong;
    }
  }
  return "";
}

// Notations and machinery of later versions, or concepts that are tested in C++ (tests/notation, tests/analysis).
const std::set<std::string> kLater = {"dynamic_print",
                                      "print_misc",
                                      "gmma_atom",
                                      "gmma_tile_to_shape",
                                      "as_position_independent_swizzle_layout",
                                      "ldmatrix",
                                      "tmem_copy_atom",
                                      "tmem_frag",
                                      "tiled_mma",
                                      "tiled_copy",
                                      "gmma_desc",
                                      "linear_layout",
                                      "linear_layout_op",
                                      "linear_layout_error",
                                      "mlir_attr",
                                      "mlir_attr_print",
                                      "mlir_attr_error",
                                      "padded_shared",
                                      "swizzled_shared_table",
                                      "dump_layout",
                                      "dump_layout_lines",
                                      "dump_layout_rows",
                                      "tla_legacy_tag",
                                      "tla_padding",
                                      "coalescing",
                                      "tma_swizzle",
                                      "tma_swizzle_mode",
                                      "tv",
                                      "copy_atom"};

// Rows where the answer differs on purpose, each with its reason.
const std::map<std::string, std::string> kDiffers = {
    {"parse_error-026", "`Sw<3,4,3> o (8,64):(64,1)`: the offset may be left out and is 0; people write it so"},
    {"sw-composed_right_inverse-003",
     "CuTe's Sw<3,0,3> o 0 o (8,8):(8,1) gives L(R(1)) = 9; ours satisfies L(R(i)) = i"},
};

}  // namespace

TEST_CASE("every CuTe and TLA case, asked as scripts ask it") {
  const std::map<std::string, Ask> asks = statements();
  const std::map<std::string, Judge> judges = {{"composition", judgeComposition}, {"parse", judgeParse},
                                               {"tla_layout", judgeTla},          {"tla_tile", judgeTla},
                                               {"tla_make_layout", judgeTla},     {"tla_table", judgeTlaTable}};
  std::map<std::string, int> passed;
  int failed = 0;
  for (const Json& row : rowsOf("cute.jsonl")) {
    const std::string kind = row["kind"], id = row["id"];
    std::string wrong;
    if (const auto judge = judges.find(kind); judge != judges.end()) {
      wrong = judge->second(row);
    } else if (const auto how = asks.find(kind); how != asks.end()) {
      const std::string statement = how->second(row);
      wrong = compare(row, ask(statement));
      if (!wrong.empty()) wrong = statement + ": " + wrong;
    } else {
      if (kLater.count(kind) == 0) FAIL_CHECK("no statement for kind " << kind);
      continue;
    }
    if (const auto differs = kDiffers.find(id); differs != kDiffers.end()) {
      if (wrong.empty()) FAIL_CHECK(id << " is listed as different, but agrees");
      continue;
    }
    if (!wrong.empty()) {
      ++failed;
      UNSCOPED_INFO(id << "  " << wrong);
    } else {
      ++passed[kind];
    }
  }
  CHECK(failed == 0);
  CHECK(passed.size() >= 55);  // kinds: no kind may fall out of the test
}
