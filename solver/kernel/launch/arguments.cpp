#include "solver/kernel/launch/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/base/nearest.h"
#include "core/base/words.h"
#include "solver/kernel/launch/tensor_argument.h"

namespace tessera::kernel {

namespace {

constexpr i64 kMostBytes = i64{1} << 33;  // of a buffer

std::string typeText(const ptx::Variable& p) {
  std::string out = fmt::format(".{}", ptx::nameOf(p.type));
  for (const i64 extent : p.extents) out += fmt::format("[{}]", extent);
  return out;
}

std::vector<std::byte> bytesOf(std::string_view text) {
  std::vector<std::byte> out(text.size());
  std::transform(text.begin(), text.end(), out.begin(), [](char c) { return static_cast<std::byte>(c); });
  return out;
}

void append(std::vector<std::byte>& out, u64 bits, int width) {
  for (int k = 0; k < width; ++k) out.push_back(static_cast<std::byte>(bits >> (8 * k)));
}

u64 randomBits(const Element& e, u64 random) {
  const auto below = [random](u64 n) { return static_cast<i64>((random >> 16) % n); };
  switch (e.kind) {
    case Element::Kind::Bool:
      return random >> 63;
    case Element::Kind::Unsigned:
      return static_cast<u64>(below(8));
    case Element::Kind::Signed:
      return static_cast<u64>(below(16) - 8) & (e.bytes == 8 ? ~u64{0} : (u64{1} << (8 * e.bytes)) - 1);
    case Element::Kind::Bits:
      return random;
    case Element::Kind::Float:
      break;
  }
  const i64 steps = e.mantissaBits >= 7 ? 64 : i64{1} << e.mantissaBits;
  return encoded(e, static_cast<double>(below(static_cast<u64>(2 * steps + 1)) - steps) / static_cast<double>(steps));
}

// The name of a type for numbers that fit the parameter: "int32" for .u32.
std::string_view fittingType(const ptx::Variable& p) {
  const i64 bytes = p.bytes();
  const std::string_view type = ptx::nameOf(p.type);
  if (!type.empty() && type[0] == 'f') return bytes == 2 ? "float16" : bytes == 4 ? "float32" : "float64";
  if (type == "bf16") return "bfloat16";
  const bool isSigned = !type.empty() && type[0] == 's';
  if (bytes == 1) return isSigned ? "int8" : "uint8";
  if (bytes == 2) return isSigned ? "int16" : "uint16";
  if (bytes == 4) return isSigned ? "int32" : "uint32";
  return isSigned ? "int64" : "uint64";
}

// A parameter that is a tensor map, or begins with one, as CuTe's copies do: CUtensorMap by value has 128 bytes, and is
// aligned to 64 or more.
bool isTensorMap(const ptx::Function& entry, const ptx::Variable& p) {
  return p.bytes() >= 128 && p.alignment() >= 64 &&
         std::any_of(entry.instructions.begin(), entry.instructions.end(), [](const ptx::Instruction& i) {
           return (i.opcode.has("bulk") && i.opcode.has("tensor")) || i.opcode.has("tensormap");
         });
}

class ArgumentReader {
 public:
  ArgumentReader(const ptx::Function& entry, std::size_t number, u64 seed, const ReadBytes& read)
      : parameter_(entry.parameters[number]),
        number_(number),
        seed_(seed),
        read_(read),
        tensorMap_(isTensorMap(entry, parameter_)) {}

  Result<Given> argument(std::string_view text) {
    text = stripped(text);
    out_.name = parameter_.name;
    if (const std::size_t name = nameLength(text); name > 0) {
      out_.name = text.substr(0, name);
      text = stripped(text.substr(name + 1));
    }
    text_ = text;
    TESSERA_CHECKED(value());
    return std::move(out_);
  }
  // Of a tensor map in the buffer of another argument.
  [[nodiscard]] const std::optional<TensorText>& reference() const { return reference_; }

 private:
  // Of "A=..."; 0 if there is no name.
  static std::size_t nameLength(std::string_view text) {
    std::size_t n = 0;
    while (n < text.size() && (isNamePart(text[n]) || text[n] == '$')) ++n;
    return n > 0 && n < text.size() && text[n] == '=' ? n : 0;
  }
  [[nodiscard]] bool array() const { return !parameter_.extents.empty(); }
  [[nodiscard]] std::string where() const {
    return fmt::format("argument {} is for the parameter {} ({}, {})", number_, parameter_.name, typeText(parameter_),
                       counted(static_cast<std::size_t>(std::max<i64>(parameter_.bytes(), 0)), "byte"));
  }
  [[nodiscard]] std::string example() const {
    if (tensorMap_) return "tensormap:f16[1024,512],box=64x64,swizzle=128B, tensormap:@FILE.npy,box=64x64 or _";
    if (array() && parameter_.bytes() != 8)
      return fmt::format("struct: and {} hexadecimal digits", 2 * parameter_.bytes());
    if (parameter_.bytes() == 8) return "@FILE.npy, f32[1024], uint64:5 or _";
    return fmt::format("{}:5 or _", fittingType(parameter_));
  }
  [[nodiscard]] Diag misfit(std::string what) const { return Diag{fmt::format("{}: {}", where(), what), example()}; }

  Result<void> value() {
    if (text_ == "_") return {};
    if (text_.starts_with('@')) return file(std::string(text_.substr(1)));
    if (text_.starts_with("tensormap:")) return tensorMap(text_.substr(10));
    if (text_.starts_with("struct:") && tensorMap_ && parameter_.bytes() == 128)
      return misfit("the encoding of a tensor map is not documented, so its bytes are no argument");
    if (text_.starts_with("struct:")) return structure(text_.substr(7));
    if (const std::size_t colon = text_.find(':'); colon != std::string_view::npos)
      return scalar(text_.substr(0, colon), text_.substr(colon + 1));
    if (text_.find('[') != std::string_view::npos) return random();
    return scalar(fittingType(parameter_), text_);
  }

  Result<void> pointer(std::string_view what) const {
    if (parameter_.bytes() == 8 || ofMap_) return {};  // also a structure that holds only a pointer
    return misfit(fmt::format("{} is a buffer, and the parameter is not a pointer", what));
  }

  Result<void> tensorMap(std::string_view text) {
    if (parameter_.bytes() < 128 || parameter_.alignment() < 64)
      return misfit("a tensor map is a parameter of 128 bytes: const __grid_constant__ CUtensorMap");
    TESSERA_TRY(TensorText read, readTensorText(text));
    ofMap_ = true;
    if (read.tensor[0] == '#') {
      reference_ = std::move(read);
      return {};
    }
    const std::string tensor = read.tensor;
    text_ = tensor;
    TESSERA_CHECKED(tensor[0] == '@' ? file(tensor.substr(1)) : random());
    if (auto done = completeMap(read, /*own=*/true, out_.argument); !done) {
      done.error().message = fmt::format("{}: {}", where(), done.error().message);
      return done.error();
    }
    return {};
  }

  Result<void> file(const std::string& path) {
    TESSERA_TRY(const std::string bytes, read_(path));
    auto read = readNpy(bytes);
    if (!read) {
      read.error().message = fmt::format("'{}': {}", path, read.error().message);
      return read.error();
    }
    const Element* const e = elementOfDescr(read->descr);
    // A structure's bytes, or one number, as an array.
    const bool whole = !ofMap_ && static_cast<i64>(read->bytes.size()) == parameter_.bytes() &&
                       parameter_.bytes() != 8 && (array() || read->shape.empty());
    if (!whole) TESSERA_CHECKED(pointer(fmt::format("'{}'", path)));
    out_.argument.kind = whole ? Argument::Kind::Bytes : Argument::Kind::Buffer;
    out_.argument.bytes = bytesOf(read->bytes);
    out_.argument.shape = read->shape;
    out_.argument.element = e != nullptr && e->kind != Element::Kind::Bits ? std::string(e->name) : read->descr;
    out_.descr = read->descr;
    return {};
  }

  Result<void> structure(std::string_view hex) {
    std::vector<std::byte> bytes;
    std::string digits;
    for (const char c : hex)
      if (!isBlank(c) && c != '_') digits += lowerCase(c);
    for (std::size_t k = 0; k < digits.size(); k += 2) {
      const auto digit = [](char c) { return isDigit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
      const int high = digit(digits[k]), low = k + 1 < digits.size() ? digit(digits[k + 1]) : -1;
      if (high < 0 || low < 0) return misfit("struct: takes pairs of hexadecimal digits");
      bytes.push_back(static_cast<std::byte>(high * 16 + low));
    }
    if (static_cast<i64>(bytes.size()) != parameter_.bytes())
      return misfit(fmt::format("the structure has {}", counted(bytes.size(), "byte")));
    out_.argument = {Argument::Kind::Bytes, std::move(bytes), {}, {}};
    return {};
  }

  Result<void> scalar(std::string_view type, std::string_view value) {
    TESSERA_TRY(const Element* e, element(type));
    if (e->bytes != parameter_.bytes())  // a structure may be __half or hold one number
      return misfit(fmt::format("{} has {}", e->name, counted(static_cast<std::size_t>(e->bytes), "byte")));
    const auto bits = valueOf(*e, value);
    if (!bits) return misfit(fmt::format("'{}' is not a number of type {}", value.substr(0, 60), e->name));
    out_.argument = {Argument::Kind::Scalar, {}, std::string(e->name), {}};
    append(out_.argument.bytes, *bits, e->bytes);
    return {};
  }

  Result<const Element*> element(std::string_view type) const {
    type = stripped(type);
    if (const Element* const e = elementNamed(type)) return e;
    std::vector<std::string> names;
    for (const char* name : {"float16", "float32", "float64", "bfloat16", "int8", "int16", "int32", "int64", "uint8",
                             "uint16", "uint32", "uint64", "struct", "f16", "f32"})
      names.emplace_back(name);
    return Diag{fmt::format("{}: '{}' is not a type", where(), type.substr(0, 60)), elementNames(),
                didYouMean(type, names)};
  }

  // f16[1024,1024] or f32[64]=0
  Result<void> random() {
    const std::size_t open = text_.find('['), close = text_.find(']');
    TESSERA_TRY(const Element* e, element(text_.substr(0, open)));
    const std::string_view rest = close == std::string_view::npos ? "" : stripped(text_.substr(close + 1));
    if (close == std::string_view::npos || close < open || (!rest.empty() && rest[0] != '='))
      return misfit(fmt::format("'{}' is not a buffer", text_.substr(0, 60)));
    TESSERA_CHECKED(pointer(fmt::format("'{}'", text_.substr(0, 60))));
    Argument& a = out_.argument;
    a.kind = Argument::Kind::Buffer;
    std::optional<i64> bytes = e->bytes;
    Cursor in(text_.substr(open + 1, close - open - 1));
    while (!in.atEnd()) {
      const auto extent = in.integer("an extent");
      if (!extent || *extent < 0 || a.shape.size() >= 64 || (!in.accept(',') && !in.atEnd()))
        return misfit(fmt::format("'{}' is not a shape", text_.substr(open, close - open + 1)));
      a.shape.push_back(*extent);
      if (bytes) bytes = checkedMul(*bytes, *extent);
    }
    if (!bytes || *bytes > kMostBytes) return misfit(fmt::format("the buffer is larger than {} bytes", kMostBytes));
    a.element = e->name;
    out_.descr = e->descr;
    if (e->descr.starts_with("|V")) out_.format = e->name;
    std::optional<u64> fill;
    if (!rest.empty()) {
      fill = valueOf(*e, rest.substr(1));
      out_.filled = true;
      if (!fill) return misfit(fmt::format("'{}' is not a number of type {}", rest.substr(1, 60), e->name));
    }
    a.bytes.resize(static_cast<std::size_t>(*bytes));
    const u64 own = splitMix(seed_ ^ splitMix(number_));
    for (i64 k = 0; k < *bytes / e->bytes; ++k) {
      u64 bits = fill ? *fill : randomBits(*e, splitMix(own + static_cast<u64>(k)));
      const std::size_t width = static_cast<std::size_t>(std::min(e->bytes, 8));
      std::memcpy(a.bytes.data() + k * e->bytes, &bits, width);
    }
    return {};
  }

  const ptx::Variable& parameter_;
  std::size_t number_;
  u64 seed_;
  const ReadBytes& read_;
  bool tensorMap_;      // of the parameter
  bool ofMap_ = false;  // the buffer that is read is a tensor map's
  std::string_view text_;
  Given out_;
  std::optional<TensorText> reference_;
};

// The map of argument number `k`, in the buffer that its text names.
Result<void> refer(std::vector<Given>& given, std::size_t k, const TensorText& text, const ptx::Function& entry) {
  const std::string which = text.tensor.substr(1);
  std::size_t of = given.size();
  if (const auto number = wholeNumber(which); number && *number >= 0)
    of = static_cast<std::size_t>(*number);
  else
    for (std::size_t n = 0; n < given.size(); ++n)
      if (given[n].name == which || entry.parameters[n].name == which) of = n;
  const auto named = [&](Diag diag) {
    diag.message = fmt::format("argument {}, tensormap:{}: {}", k, text.tensor, diag.message);
    return diag;
  };
  if (of >= given.size()) return named(Diag{"there is no such argument", parametersText(entry)});
  const Argument& from = given[of].argument;
  const bool map = from.kind == Argument::Kind::TensorMap && from.map->buffer < 0;
  if (from.kind != Argument::Kind::Buffer && !map)
    return named(Diag{fmt::format("argument {} has no buffer", of), "a buffer: f16[1024,512] or @FILE.npy",
                      of == k ? "a map with its own tensor is tensormap:f16[1024,512],box=64x64" : ""});
  Given& out = given[k];
  out.argument.element = from.element;
  out.argument.shape = from.shape;
  out.descr = given[of].descr;
  out.format = given[of].format;
  const bool shaped = std::any_of(text.options.begin(), text.options.end(),
                                  [](const auto& o) { return o.first == "shape" || o.first == "strides"; });
  TensorText complete = text;
  if (map && !shaped) {  // the rows of the other map
    const auto& strides = from.map->tile.globalStrideBytes;
    std::string all;
    for (auto at = strides.rbegin(); at != strides.rend(); ++at)
      all += fmt::format("{}{}", all.empty() ? "" : "x", *at);
    if (!all.empty()) complete.options.emplace_back("strides", all);
  }
  if (auto done = completeMap(complete, /*own=*/false, out.argument); !done) return named(done.error());
  if (const Element* const e = elementNamed(out.argument.element); e != nullptr) {
    out.descr = e->descr;
    out.format = e->descr.starts_with("|V") ? std::string(e->name) : "";
  }
  TensorMap& made = *out.argument.map;
  made.buffer = static_cast<int>(of);
  if (map) made.offset += from.map->offset;
  const i64 bytes = static_cast<i64>(from.bytes.size());
  if (made.offset > bytes || made.spanBytes() > bytes - made.offset)
    return named(Diag{fmt::format("the tensor takes {} bytes from byte {} on, and the buffer of argument {} has {}",
                                  made.spanBytes(), made.offset, of, bytes),
                      "a smaller shape or offset"});
  return {};
}

}  // namespace

std::string parametersText(const ptx::Function& entry) {
  std::string out = fmt::format("the parameters of {}:", entry.name);
  for (std::size_t k = 0; k < entry.parameters.size(); ++k)
    out += fmt::format("{} {} {} {}", k == 0 ? "" : ",", k, entry.parameters[k].name, typeText(entry.parameters[k]));
  return entry.parameters.empty() ? fmt::format("{} has no parameters", entry.name) : out;
}

Result<std::vector<Given>> readArguments(const ptx::Function& entry, const std::vector<std::string>& texts, u64 seed,
                                         const ReadBytes& read) {
  const std::size_t count = entry.parameters.size();
  if (texts.size() > count)
    return Diag{fmt::format("{} for {}", counted(texts.size(), "argument"), counted(count, "parameter")),
                parametersText(entry)};
  std::vector<Given> out;
  std::vector<std::pair<std::size_t, TensorText>> references;
  for (std::size_t k = 0; k < count; ++k) {
    ArgumentReader reader(entry, k, seed, read);
    TESSERA_TRY(Given given, reader.argument(k < texts.size() ? texts[k] : "_"));
    out.push_back(std::move(given));
    if (reader.reference()) references.emplace_back(k, *reader.reference());
  }
  for (const auto& [k, text] : references) TESSERA_CHECKED(refer(out, k, text, entry));
  return out;
}

Npy arrayOf(const Given& given, const std::vector<std::byte>& bytes) {
  Npy out{given.descr.empty() ? "|u1" : given.descr, given.argument.shape, {}};
  if (given.descr.empty()) out.shape = {static_cast<i64>(bytes.size())};
  out.bytes.resize(bytes.size());
  std::transform(bytes.begin(), bytes.end(), out.bytes.begin(), [](std::byte b) { return static_cast<char>(b); });
  return out;
}

}  // namespace tessera::kernel
