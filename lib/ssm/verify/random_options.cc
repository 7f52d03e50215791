#include "ssm/verify/random_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ssm {
namespace {

constexpr int64_t kSpan = 11;  // integers are drawn from this many above the least

class Drawer final : public FieldVisitor {
 public:
  Drawer(Random& random, std::vector<std::string>& overrides, std::string prefix)
      : random_(random), overrides_(overrides), prefix_(std::move(prefix)) {}

  void Bool(const char* name, bool&, Doc) override {
    if (Chosen()) Set(name, random_.Bernoulli(0.5) ? "true" : "false");
  }
  void Int(const char* name, int64_t&, IntRange range, Doc) override {
    if (!Chosen()) return;
    const int64_t low = std::max<int64_t>(range.min, 0);
    const int64_t high = std::min(range.max, low + kSpan);
    Set(name, fmt::format("{}", low + random_.Below(high - low + 1)));
  }
  void Real(const char* name, double& value, RealRange range, Doc) override {
    if (!Chosen()) return;
    const double low = range.min, high = range.max;
    const bool bounded = std::isfinite(low) && std::isfinite(high) && high - low <= 2;
    const double drawn = bounded      ? random_.Uniform(low, high)
                         : value != 0 ? value * std::exp(random_.Uniform(-1, 1))
                                      : random_.Uniform();
    Set(name, fmt::format("{:.4g}", std::clamp(drawn, low, high)));
  }
  void Text(const char*, std::string&, Doc) override {}
  void OptionalText(const char*, std::optional<std::string>&, Doc) override {}
  void IntList(const char*, std::vector<int64_t>&, IntRange, Doc) override {}
  void RealList(const char*, std::vector<double>&, RealRange, Doc) override {}
  void TextList(const char*, std::vector<std::string>&, Doc) override {}
  void Object(const char* name, Configurable& value, Doc) override { Below(name, value); }
  void OptionalObject(const char* name, bool&, Configurable& value, Doc) override {
    if (!Chosen()) return;
    if (random_.Bernoulli(0.5)) return Set(name, "none");
    Below(name, value);
  }
  void ObjectOrInt(const char*, Configurable&, std::span<int64_t* const>, Doc) override {}
  void Tagged(const char* name, TaggedField& value, Doc) override {
    if (value.types() == 0) return;
    const auto i = static_cast<size_t>(random_.Below(static_cast<int64_t>(value.types())));
    Set(std::string(name) + ".type", value.type_name(i));
    Below(name, *value.Make(i));
  }
  void Stack(const char*, const char*, StackField&, IntRange, Doc) override {}
  void Map(const char*, MapField&, Doc) override {}

 protected:
  void Word(const char* name, int64_t&, std::span<const char* const> words, Doc) override {
    const auto i = static_cast<size_t>(random_.Below(static_cast<int64_t>(words.size())));
    if (Chosen()) Set(name, words[i]);
  }

 private:
  bool Chosen() { return random_.Bernoulli(0.5); }
  void Set(const std::string& name, const std::string& value) {
    overrides_.push_back(prefix_ + name + "=" + value);
  }
  void Below(const std::string& name, Configurable& value) {
    Drawer below(random_, overrides_, prefix_ + name + ".");
    value.VisitFields(below);
  }

  Random& random_;
  std::vector<std::string>& overrides_;
  std::string prefix_;
};

}  // namespace

std::vector<std::string> DrawOverrides(Configurable& options, Random& random) {
  std::vector<std::string> overrides;
  Drawer drawer(random, overrides, "");
  options.VisitFields(drawer);
  return overrides;
}

}  // namespace ssm
