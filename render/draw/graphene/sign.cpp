#include "render/draw/graphene/sign.h"

#include "render/draw/grid/layouts.h"

namespace tessera::graphene {

using State = Checked::State;

Role roleOf(State state) {
  switch (state) {
    case State::Proved:
      return Role::Proved;
    case State::Refuted:
      return Role::Refuted;
    case State::Unknown:
      return Role::Unknown;
    default:
      return Role::Faint;
  }
}

std::string_view wordOf(State state) {
  static constexpr std::string_view kWords[] = {"", "proved", "refuted", "unknown", "not stated"};
  return kWords[static_cast<std::size_t>(state)];
}

void addSign(Figure& figure, State state, double x, double y, double r) {
  const Role role = roleOf(state);
  const auto stroke = [&](double x0, double y0, double x1, double y1) {
    figure.marks.push_back(lineMark(x + r * x0, y + r * y0, x + r * x1, y + r * y1, role, 0.36 * r));
  };
  switch (state) {
    case State::Proved:
      stroke(-1, 0.1, -0.3, 0.8);
      stroke(-0.3, 0.8, 1, -0.8);
      break;
    case State::Refuted:
      stroke(-0.8, -0.8, 0.8, 0.8);
      stroke(-0.8, 0.8, 0.8, -0.8);
      break;
    case State::Unknown:
      addText(figure, x, y, "?", 2.8 * r, Face::SansMedium, role, Align::Center);
      break;
    case State::NotStated:
      stroke(-0.6, 0, 0.6, 0);
      break;
    case State::Missing:
      break;
  }
}

const SpecMarks* Marks::of(std::size_t row, Span span) const {
  if (row < specs.size() && specs[row].span == span) return &specs[row];
  for (const SpecMarks& s : specs)
    if (s.span == span) return &s;
  return nullptr;
}

}  // namespace tessera::graphene
