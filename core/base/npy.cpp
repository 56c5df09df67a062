#include "core/base/npy.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/base/cursor.h"

namespace tessera {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr i64 kMostBytes = i64{1} << 40;
constexpr std::size_t kMostDimensions = 64;

// The header is a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<i64> shape;
};

Result<std::string> quotedText(Cursor& in) {
  const char quote = in.peek();
  if (quote != '\'' && quote != '"') return in.fail("a text in quotes is missing here", "'<f4'");
  const std::size_t begin = in.position() + 1, end = in.text().find(quote, begin);
  if (end == std::string_view::npos) return in.fail("this text is never closed");
  in.seek(end + 1);
  return std::string(in.text().substr(begin, end - begin));
}

Result<std::vector<i64>> tuple(Cursor& in) {
  std::vector<i64> out;
  TESSERA_CHECKED(in.expect("(", "at the shape"));
  while (!in.accept(')')) {
    TESSERA_TRY(const i64 extent, in.integer("an extent"));
    if (extent < 0 || out.size() >= kMostDimensions) return in.fail("this is not a shape", "(2, 3)");
    out.push_back(extent);
    (void)in.accept('L');  // of Python 2
    if (!in.accept(',')) {
      TESSERA_CHECKED(in.expect(")", "after the shape"));
      break;
    }
  }
  return out;
}

Result<Header> headerOf(std::string_view text) {
  Cursor in(text);
  Header out;
  TESSERA_CHECKED(in.expect("{", "at the start of the header"));
  while (!in.accept('}')) {
    TESSERA_TRY(const std::string key, quotedText(in));
    TESSERA_CHECKED(in.expect(":", "after a key of the header"));
    if (key == "descr") {
      const std::size_t begin = in.start();
      if (in.peek() == '[') {
        if (!in.acceptBracketed(false)) return in.fail("this list is never closed", "]");
        out.descr = in.text().substr(begin, in.position() - begin);
      } else {
        TESSERA_TRY(out.descr, quotedText(in));
      }
    } else if (key == "fortran_order") {
      out.fortran = in.acceptWord("True");
      if (!out.fortran && !in.acceptWord("False")) return in.fail("fortran_order is True or False");
    } else if (key == "shape") {
      TESSERA_TRY(out.shape, tuple(in));
    } else {
      return in.fail(fmt::format("the header has an unknown key {}", key), "descr, fortran_order, shape");
    }
    if (!in.accept(',')) {
      TESSERA_CHECKED(in.expect("}", "at the end of the header"));
      break;
    }
  }
  return out;
}

// Elements in Fortran order, in C order.
std::string inCOrder(std::string_view bytes, const std::vector<i64>& shape, std::size_t item) {
  std::string out(bytes.size(), '\0');
  std::vector<i64> strides(shape.size(), 1);  // in the file
  for (std::size_t k = 1; k < shape.size(); ++k) strides[k] = strides[k - 1] * shape[k - 1];
  std::vector<i64> at(shape.size(), 0);
  i64 from = 0;
  for (std::size_t to = 0; to < bytes.size(); to += item) {
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(from * static_cast<i64>(item)), item,
                out.begin() + static_cast<std::ptrdiff_t>(to));
    for (std::size_t k = shape.size(); k-- > 0;) {
      from += strides[k];
      if (++at[k] < shape[k]) break;
      from -= strides[k] * shape[k];
      at[k] = 0;
    }
  }
  return out;
}

// A product with 1 for no extent; nullopt beyond kMostBytes.
std::optional<i64> countOf(const std::vector<i64>& shape, i64 item) {
  std::optional<i64> out = item;
  for (const i64 extent : shape)
    if (out) out = checkedMul(*out, extent);
  if (!out || *out > kMostBytes) return std::nullopt;
  return *out / item;
}

// ">f4" becomes "<f4": each number's bytes are reversed. A complex number is two numbers.
void makeLittle(Npy& array) {
  if (!array.descr.starts_with('>')) return;
  std::size_t width = static_cast<std::size_t>(array.itemBytes());
  if (array.descr[1] == 'c') width /= 2;
  for (std::size_t k = 0; k + width <= array.bytes.size(); k += width)
    std::reverse(array.bytes.begin() + static_cast<std::ptrdiff_t>(k),
                 array.bytes.begin() + static_cast<std::ptrdiff_t>(k + width));
  array.descr[0] = '<';
}

}  // namespace

i64 itemBytesOf(std::string_view descr) {
  if (descr.starts_with('[')) {  // the sum over the fields: [('x', '<f4'), ('y', '<i2', (3,))]
    i64 sum = 0;
    Cursor in(descr.substr(1));
    while (in.accept('(')) {
      if (!quotedText(in) || !in.accept(',')) return 0;
      const auto field = quotedText(in);
      if (!field) return 0;
      i64 bytes = field->starts_with('[') ? 0 : itemBytesOf(*field);
      if (in.accept(',') && in.peek() == '(') {
        const auto shape = tuple(in);
        const auto count = shape && bytes > 0 ? countOf(*shape, bytes) : std::nullopt;
        if (!count) return 0;
        bytes *= *count;
      }
      if (bytes == 0 || !in.accept(')')) return 0;
      sum += bytes;
      if (sum > kMostBytes) return 0;
      (void)in.accept(',');
    }
    return in.accept(']') ? sum : 0;
  }
  if (descr.size() < 3 || std::string_view("<>|=").find(descr[0]) == std::string_view::npos) return 0;
  const char kind = descr[1];
  if (std::string_view("biufcVSmMU").find(kind) == std::string_view::npos) return 0;
  i64 bytes = 0;
  for (const char c : descr.substr(2, std::min(descr.find('['), descr.size()) - 2)) {  // "<M8[ns]"
    if (!isDigit(c) || bytes > 1'000'000) return 0;
    bytes = bytes * 10 + (c - '0');
  }
  return kind == 'U' ? 4 * bytes : bytes;
}

i64 Npy::itemBytes() const { return itemBytesOf(descr); }
i64 Npy::count() const { return countOf(shape, std::max<i64>(itemBytes(), 1)).value_or(0); }

Result<Npy> readNpy(std::string_view file) {
  if (!file.starts_with(kMagic)) {
    const bool zip = file.starts_with("PK");
    return Diag{zip ? "this is an .npz archive, not an array" : "this is not a .npy file", "a file that np.save wrote",
                zip ? "np.save(\"a.npy\", np.load(\"a.npz\")[\"a\"])" : ""};
  }
  const auto byte = [&](std::size_t at) { return at < file.size() ? static_cast<unsigned char>(file[at]) : 0U; };
  const unsigned major = byte(6);
  if (major < 1 || major > 3)
    return Diag{fmt::format("this .npy file has version {}.{}", major, byte(7)), "version 1.0, 2.0 or 3.0"};
  const std::size_t begin = major == 1 ? 10 : 12;
  std::size_t size = byte(8) | byte(9) << 8U;
  if (major > 1) size |= static_cast<std::size_t>(byte(10)) << 16U | static_cast<std::size_t>(byte(11)) << 24U;
  if (file.size() < begin || size > file.size() - begin) return Diag{"this .npy file ends inside its header"};
  auto header = headerOf(file.substr(begin, size));
  if (!header) {
    header.error().span = {};
    header.error().message = "the header of this .npy file: " + header.error().message;
    return header.error();
  }
  Npy out{header->descr, header->shape, {}};
  const i64 item = out.itemBytes();
  if (item == 0)
    return Diag{fmt::format("elements of type {} cannot be read", out.descr.substr(0, 60)), "numbers, such as '<f4'",
                "np.save(\"a.npy\", a.astype(np.float32))"};
  const auto count = countOf(out.shape, item);
  if (!count || *count * item > static_cast<i64>(file.size() - begin - size))
    return Diag{fmt::format("this .npy file ends inside its data: it has {} bytes of {}", file.size() - begin - size,
                            count ? fmt::format("{}", *count * item) : "more than 2^40")};
  const std::string_view data = file.substr(begin + size, static_cast<std::size_t>(*count * item));
  const bool reorder = header->fortran && out.shape.size() > 1;
  out.bytes = reorder ? inCOrder(data, out.shape, static_cast<std::size_t>(item)) : std::string(data);
  makeLittle(out);
  return out;
}

std::string writeNpy(const Npy& array) {
  std::string shape;
  for (const i64 extent : array.shape) shape += fmt::format("{}, ", extent);
  if (array.shape.size() > 1) shape.resize(shape.size() - 2);
  if (array.shape.size() == 1) shape.pop_back();
  const bool list = array.descr.starts_with('[');
  std::string header = fmt::format("{{'descr': {1}{0}{1}, 'fortran_order': False, 'shape': ({2}), }}", array.descr,
                                   list ? "" : "'", shape);
  // The data begins at a multiple of 64.
  const std::size_t lead = header.size() + 1 > 0xff00 ? 12 : 10;
  header.append((64 - (lead + header.size() + 1) % 64) % 64, ' ');
  header += '\n';
  std::string out(kMagic);
  out += lead == 10 ? '\1' : '\2';
  out += '\0';
  for (std::size_t k = 0; k < lead - 8; ++k) out += static_cast<char>(header.size() >> (8 * k) & 0xff);
  return out + header + array.bytes;
}

}  // namespace tessera
