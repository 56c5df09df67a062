// LLVM IR: chains of and, shl, lshr, xor, getelementptr. Each instruction is a line of C, which index code then reads.
//
//     %10 = shl i32 %9, 3                                              uint32_t v10 = v9 << 3;
//     %14 = getelementptr half, ptr addrspace(3) @smem, i32 %13        half *v14 = &((half *)smem)[v13];
//
// A getelementptr's index counts elements of its type. An unsigned operation is one of uint32_t, so it wraps.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <vector>

#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/paste/code/index_reading.h"
#include "core/paste/dialects.h"

namespace tessera::paste {
namespace {

struct Operation {
  std::string_view name;
  std::string_view op;  // of C
  bool isSigned;
};
constexpr auto kOperations = std::to_array<Operation>({
    {"add", "+", false},
    {"sub", "-", false},
    {"mul", "*", false},
    {"and", "&", false},
    {"or", "|", false},
    {"xor", "^", false},
    {"shl", "<<", false},
    {"lshr", ">>", false},
    {"ashr", ">>", true},
    {"udiv", "/", false},
    {"urem", "%", false},
    {"sdiv", "/", true},
    {"srem", "%", true},
});
// Special registers, and what CUDA calls them.
constexpr auto kRegisters =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"sreg.tid.", "threadIdx."},
                                                                  {"sreg.ctaid.", "blockIdx."},
                                                                  {"sreg.ntid.", "blockDim."},
                                                                  {"sreg.nctaid.", "gridDim."},
                                                                  {"workitem.id.", "threadIdx."},
                                                                  {"workgroup.id.", "blockIdx."}});

constexpr auto kFlags = std::to_array<std::string_view>(
    {"nsw", "nuw", "exact", "disjoint", "inbounds", "nneg", "tail", "musttail", "nusw", "samesign", "noundef"});

// An element type, and the extents of an array around it: [32 x [33 x float]].
struct ElementType {
  std::string name;  // of C
  std::vector<i64> extents;
};

class LlvmReader {
 public:
  explicit LlvmReader(std::string_view text) : text_(text) {}

  // C with the same meaning.
  Result<std::string> run() {
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      std::string_view line = text_.substr(at, end - at);
      const std::size_t comment = line.find(';');
      Cursor in(text_.substr(0, at + std::min(comment, line.size())), {.nameAlso = "."}, at);
      at = end + 1;
      if (in.atEnd()) continue;
      if (const Result<void> done = instruction(in); !done) return done.error();
    }
    if (out_.empty()) return Diag{"no instruction of LLVM is read here", "%5 = shl i32 %4, 3"};
    return out_;
  }

 private:
  // %9, @global_smem, 31 and true as C.
  Result<std::string> operand(Cursor& in) {
    while (skipFlag(in)) {
    }
    const char c = in.peek();
    if (c == '%' || c == '@') {
      in.advance();
      const std::size_t begin = in.position();
      while (isNamePart(in.raw()) || in.raw() == '.') in.advance();
      std::string name(in.text().substr(begin, in.position() - begin));
      if (name.empty()) return in.fail("a name is missing here", "%name");
      for (char& one : name)
        if (one == '.') one = '_';
      return isDigit(name[0]) ? "v" + name : name;
    }
    if (in.acceptWord("true")) return std::string("1");
    if (in.acceptWord("false") || in.acceptWord("null") || in.acceptWord("zeroinitializer")) return std::string("0");
    TESSERA_TRY(const i64 n, in.integer("an operand"));
    return std::to_string(n);
  }
  static bool skipFlag(Cursor& in) {
    for (const std::string_view flag : kFlags)
      if (in.acceptWord(flag)) return true;
    return false;
  }
  // i32 -> 32; 0 for another type, without moving.
  static int integerBits(Cursor& in) {
    Cursor ahead = in;
    const std::string_view word = ahead.peekWord();
    if (word.size() < 2 || word[0] != 'i' || word.find_first_not_of("0123456789", 1) != std::string_view::npos)
      return 0;
    int bits = 0;
    for (const char c : word.substr(1)) bits = bits < 1000 ? bits * 10 + (c - '0') : bits;
    in.skipBlanks();
    in.advance(word.size());
    return bits;
  }
  static std::string typeOfBits(int bits, bool isSigned) {
    if (bits == 1) return "bool";
    const int size = bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64;
    return fmt::format("{}int{}_t", isSigned ? "" : "u", size);
  }
  Result<ElementType> elementType(Cursor& in) {
    ElementType type;
    int open = 0;
    while (in.accept('[')) {
      TESSERA_TRY(const i64 n, in.integer("the extent of an array"));
      type.extents.push_back(n);
      if (!in.acceptWord("x")) return in.fail("`x` is missing in the array type", "[32 x float]");
      ++open;
    }
    i64 lanes = 1;
    const bool vector = in.accept('<');
    if (vector) {
      TESSERA_TRY(lanes, in.integer("the lanes of a vector"));
      if (!in.acceptWord("x")) return in.fail("`x` is missing in the vector type", "<4 x float>");
    }
    if (const int bits = integerBits(in); bits > 0) {
      type.name = typeOfBits(bits, true);
    } else {
      TESSERA_TRY(type.name, in.identifier("an element type"));
    }
    if (vector) {
      TESSERA_CHECKED(in.expect(">", "after the vector type"));
      if (lanes > 1) type.extents.push_back(lanes);
    }
    for (; open > 0; --open) TESSERA_CHECKED(in.expect("]", "after the array type"));
    if (type.name == "bfloat") type.name = "bf16";
    if (type.name == "ptr") type.name = "int64_t";
    return type;
  }

  Result<void> instruction(Cursor& in) {
    std::string name;
    if (in.peek() == '%') {
      TESSERA_TRY(name, operand(in));
      TESSERA_CHECKED(in.expect("=", "after the name of the result"));
    }
    while (skipFlag(in)) {
    }
    const std::string_view op = in.peekWord();
    const std::size_t begin = in.position();
    in.advance(op.size());
    if (op == "getelementptr") return element(in, name);
    if (op == "load" || op == "store") return access(in, op == "load");
    if (name.empty()) return {};  // ret, br, labels: no value
    for (const Operation& one : kOperations)
      if (one.name == op) return binary(in, name, one);
    if (op == "zext" || op == "sext" || op == "trunc" || op == "bitcast" || op == "freeze" || op == "addrspacecast" ||
        op == "ptrtoint" || op == "inttoptr")
      return cast(in, name, op);
    if (op == "icmp") return compare(in, name);
    if (op == "select") return select(in, name);
    if (op == "call") return call(in, name);
    return out_.empty() && op.empty() ? Result<void>(in.failFrom(begin, "this is no instruction of LLVM"))
                                      : Result<void>();
  }

  Result<void> binary(Cursor& in, const std::string& name, const Operation& op) {
    while (skipFlag(in)) {
    }
    const int bits = integerBits(in);
    if (bits == 0) {
      return {};  // of floats or vectors
    }
    TESSERA_TRY(const std::string a, operand(in));
    TESSERA_CHECKED(in.expect(",", "between the operands"));
    TESSERA_TRY(const std::string b, operand(in));
    const std::string type = typeOfBits(bits, op.isSigned);
    // The second operand of a shift is not converted: its sign does not matter.
    out_ += fmt::format("{0} {1} = ({0})((({2})({3})) {4} (({2})({5})));\n", typeOfBits(bits, false), name, type, a,
                        op.op, b);
    return {};
  }

  Result<void> cast(Cursor& in, const std::string& name, std::string_view op) {
    if (op == "addrspacecast" || op == "inttoptr" || op == "ptrtoint" || (op == "bitcast" && integerBits(in) == 0)) {
      while (!in.atEnd() && in.peek() != '%' && in.peek() != '@') in.advance();
      if (in.atEnd()) return {};
      TESSERA_TRY(const std::string a, operand(in));
      if (op == "ptrtoint") {
        out_ += fmt::format("uint64_t {} = (uint64_t){};\n", name, a);
      } else {
        out_ += fmt::format("auto {} = {};\n", name, a);
      }
      return {};
    }
    while (skipFlag(in)) {
    }
    const int from = integerBits(in);
    if (from == 0) {
      return {};
    }
    TESSERA_TRY(const std::string a, operand(in));
    int to = from;
    if (in.acceptWord("to")) to = integerBits(in);
    const std::string source = op == "sext" ? fmt::format("({})({})", typeOfBits(from, true), a) : a;
    out_ += fmt::format("{0} {1} = ({0})({2});\n", typeOfBits(to, false), name, source);
    return {};
  }

  Result<void> compare(Cursor& in, const std::string& name) {
    (void)skipFlag(in);
    TESSERA_TRY(const std::string predicate, in.identifier("a predicate"));
    const int bits = integerBits(in);
    if (bits == 0) {
      return {};
    }
    TESSERA_TRY(const std::string a, operand(in));
    TESSERA_CHECKED(in.expect(",", "between the operands"));
    TESSERA_TRY(const std::string b, operand(in));
    const std::string_view end = std::string_view(predicate).substr(predicate.size() > 1 ? predicate.size() - 2 : 0);
    const std::string_view op = end == "eq"   ? "=="
                                : end == "ne" ? "!="
                                : end == "lt" ? "<"
                                : end == "le" ? "<="
                                : end == "gt" ? ">"
                                              : ">=";
    const std::string type = typeOfBits(bits, predicate[0] == 's');
    out_ += fmt::format("bool {0} = ({1})({2}) {3} ({1})({4});\n", name, type, a, op, b);
    return {};
  }

  Result<void> select(Cursor& in, const std::string& name) {
    (void)integerBits(in);
    TESSERA_TRY(const std::string c, operand(in));
    TESSERA_CHECKED(in.expect(",", "after the condition"));
    const int bits = integerBits(in);
    if (bits == 0) {
      return {};
    }
    TESSERA_TRY(const std::string a, operand(in));
    TESSERA_CHECKED(in.expect(",", "between the operands"));
    (void)integerBits(in);
    TESSERA_TRY(const std::string b, operand(in));
    out_ += fmt::format("{} {} = {} ? {} : {};\n", typeOfBits(bits, false), name, c, a, b);
    return {};
  }

  // Special registers, and min and max.
  Result<void> call(Cursor& in, const std::string& name) {
    const std::string_view line = in.text().substr(in.position());
    for (const auto& [sreg, of] : kRegisters) {
      const std::size_t at = line.find(sreg);
      if (at == std::string_view::npos || at + sreg.size() >= line.size()) continue;
      out_ += fmt::format("uint32_t {} = {}{};\n", name, of, line[at + sreg.size()]);
      return {};
    }
    if (line.find("laneid") != std::string_view::npos) {
      out_ += fmt::format("uint32_t {} = laneid;\n", name);
      return {};
    }
    for (const std::string_view f : {"umin", "umax", "smin", "smax"}) {
      const std::size_t at = line.find(fmt::format("llvm.{}.", f));
      if (at == std::string_view::npos) continue;
      in.seek(in.position() + std::min(line.find('(', at), line.size() - 1) + 1);
      const int bits = integerBits(in);
      TESSERA_TRY(const std::string a, operand(in));
      TESSERA_CHECKED(in.expect(",", "between the operands"));
      (void)integerBits(in);
      TESSERA_TRY(const std::string b, operand(in));
      const std::string type = typeOfBits(bits, f[0] == 's');
      out_ += fmt::format("{0} {1} = {2}(({3})({4}), ({3})({5}));\n", typeOfBits(bits, false), name, f.substr(1), type,
                          a, b);
      return {};
    }
    return {};
  }

  // getelementptr TYPE, ptr BASE, INDEX, INDEX ...
  Result<void> element(Cursor& in, const std::string& name) {
    while (skipFlag(in)) {
    }
    const bool bracket = in.accept('(');
    TESSERA_TRY(const ElementType type, elementType(in));
    TESSERA_CHECKED(in.expect(",", "after the element type"));
    while (!in.atEnd() && in.peek() != '%' && in.peek() != '@') in.advance();
    TESSERA_TRY(const std::string base, operand(in));
    std::string index;
    i64 step = 1;
    for (const i64 n : type.extents) step *= n;
    std::size_t k = 0;
    while (in.accept(',')) {
      if (in.peek() == '!') break;
      if (integerBits(in) == 0) return in.fail("this index is not an integer", "i32 %index");
      TESSERA_TRY(const std::string one, operand(in));
      index += fmt::format("{}(int64_t)(int32_t)({}) * {}", index.empty() ? "" : " + ", one, step);
      if (k < type.extents.size()) step /= type.extents[k++];
    }
    (void)bracket;
    if (index.empty()) return in.fail("the index of this getelementptr is missing", "i32 %index");
    out_ += fmt::format("auto {} = &(({} *){})[{}];\n", name, type.name, base, index);
    return {};
  }

  Result<void> access(Cursor& in, bool load) {
    const std::string_view line = in.text().substr(in.position());
    const std::size_t ptr = line.find("ptr");
    if (ptr == std::string_view::npos) return {};
    Cursor type = in;
    const auto element = elementType(type);
    in.seek(in.position() + ptr);
    while (!in.atEnd() && in.peek() != '%' && in.peek() != '@') in.advance();
    if (in.atEnd() || !element) return {};
    TESSERA_TRY(const std::string address, operand(in));
    if (load) {
      out_ += fmt::format("*({} *){};\n", element->name, address);
    } else {
      out_ += fmt::format("*({} *){} = 0.0f;\n", element->name, address);
    }
    return {};
  }

  std::string_view text_;
  std::string out_;
};

int recognizesLlvm(std::string_view text) {
  text = text.substr(0, std::size_t{64} << 10);
  if (text.find('%') == std::string_view::npos) return 0;
  for (const std::string_view mark :
       {"getelementptr", " = and i32 ", " = shl i32 ", " = lshr i32 ", " = xor i32 ", " = add i32 ", " = add nsw i32 ",
        " = or i32 ", " = mul i32 ", " = urem i32 ", " = udiv i32 ", " = zext i32 ", " = shl nuw", " = ashr i32 ",
        " = or disjoint i32 "})
    if (text.find(mark) != std::string_view::npos) return 2;
  return 0;
}

Result<Reading> readLlvm(std::string_view text, const Given& given) {
  TESSERA_TRY(const std::string c, LlvmReader(text).run());
  Given renamed = given;  // %9 is v9
  const auto rename = [](std::string& name) {
    for (const auto& [sreg, of] : kRegisters) {  // tid.x, llvm.nvvm.read.ptx.sreg.tid.x
      const std::string_view brief = sreg.starts_with("sreg.") ? sreg.substr(5) : sreg;
      const std::size_t at = name.find(brief);
      if (at != std::string::npos && (at == 0 || name[at - 1] == '.'))
        name = std::string(of) + name.substr(at + brief.size(), 1);
    }
    if (name.starts_with('%') || name.starts_with('@')) name.erase(0, 1);
    if (!name.empty() && isDigit(name[0])) name = "v" + name;
  };
  for (auto& [name, extent] : renamed.over) rename(name);
  for (auto& [name, value] : renamed.lets) rename(name);
  TESSERA_TRY(Reading reading, readIndexCode("cuda", c, renamed));
  reading.dialect = "LLVM IR";
  for (Statement& s : reading.statements) s.span = {0, text.size()};
  return reading;
}

}  // namespace

const Dialect kLlvm{"LLVM IR", recognizesLlvm, readLlvm};

}  // namespace tessera::paste
