// Source: the constants, types and statements of C++ text, for the readers of vendors' libraries.
//
//     constexpr int kM = 128;  using T = half;
//     integer(number<(kM + 1) * 8>{})      1032
//     integers(make_tuple(kM, I1))         128, 1
//     elementBytes(T)                      2
//     integer(stride_[0])                  asks for `stride_[0]`: --let stride_[0]=8
//
// Values come from --let (by the text as it is written), then from the source. Law: nullopt exactly if a question was
// asked, and a name is asked for once.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/code/tree.h"
#include "core/paste/bindings.h"

namespace tessera::paste::vendor {

class Source {
 public:
  // `text` must outlive the source.
  [[nodiscard]] static Result<Source> read(std::string_view text, Bindings& out);

  // All statements, in order, those inside namespaces, structs, functions and blocks after their holder.
  [[nodiscard]] const std::vector<const code::Tree*>& statements() const { return statements_; }
  // What an alias or a variable stands for, followed through names; the tree itself if it is neither.
  [[nodiscard]] const code::Tree& resolved(const code::Tree& tree) const;
  // The type or value that is declared under this name; nullptr: none.
  [[nodiscard]] const code::Tree* alias(std::string_view name) const;
  [[nodiscard]] const code::Tree* value(std::string_view name) const;

  [[nodiscard]] std::optional<i64> integer(const code::Tree& tree, std::string_view asks = "a constant");
  // make_tuple(..), {..}, sequence<..>{}, Shape<..>, an array variable, --let NAME=(8,4).
  [[nodiscard]] std::optional<std::vector<i64>> integers(const code::Tree& tree, std::string_view asks = "a constant");
  // The children of such a list, without evaluating them.
  [[nodiscard]] std::optional<std::vector<const code::Tree*>> list(const code::Tree& tree) const;
  // half 2, float 4 ...; asks for a type that it does not know.
  [[nodiscard]] std::optional<i64> elementBytes(const code::Tree& type);

  // Values of calls that a reader knows: desc.get_length(..).
  std::function<std::optional<i64>(const code::Tree&)> call;

  [[nodiscard]] Bindings& out() const { return *out_; }
  // As the text writes it, without blanks: "number<8>{}".
  [[nodiscard]] static std::string spelled(const code::Tree& tree);

 private:
  explicit Source(Bindings& out) : out_(&out) {}
  void collect(const code::Tree& statement);
  [[nodiscard]] std::optional<i64> evaluated(const code::Tree& tree, std::string_view asks);
  [[nodiscard]] std::optional<i64> named(const code::Tree& tree, std::string_view asks);
  [[nodiscard]] std::optional<i64> called(const code::Tree& tree, std::string_view asks);
  [[nodiscard]] std::optional<i64> ask(const code::Tree& tree, std::string_view asks);

  Bindings* out_;
  std::vector<code::Tree> trees_;
  std::vector<const code::Tree*> statements_;
  std::map<std::string, const code::Tree*, std::less<>> aliases_, values_;
  int depth_ = 0;
};

// The bytes of a C++ element type; nullopt: unknown.
[[nodiscard]] std::optional<i64> typeBytes(std::string_view type);

}  // namespace tessera::paste::vendor
