#include "ssm/verify/property.h"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <optional>

#include "ssm/base/errors.h"
#include "ssm/base/random.h"
#include "ssm/config/config_file.h"
#include "ssm/verify/random_options.h"

namespace ssm {
namespace {

constexpr const char* kLaws[] = {"split", "split",  "split",  "step",  "step",
                                 "step",  "causal", "resume", "reset", "batch"};
constexpr int kTries = 1000;
// Of a law's error in single precision over that in double, when both are rounding alone: the ratio
// of their units, and room for chance.
constexpr double kSingleOverDouble = 16.0 * 0x1p29;
constexpr const char* kConfig = "configs/quickstart/evidence_track.json";  // of replays

class AnyFault final : public Faults {
 public:
  void Add(std::string_view, std::string_view) override { found_ = true; }
  bool found() const { return found_; }

 private:
  bool found_ = false;
};

MixerContext ContextOf(const PropertyCase& property) { return {.d_model = property.d_model}; }

/// Null when the options do not fit together or into the model.
std::unique_ptr<MixerOptions> Options(const MixerRegistry& mixers, const PropertyCase& property) {
  std::unique_ptr<MixerOptions> options = mixers.Find(property.type)->make();
  try {
    ReadConfigText("{}", property.type, property.overrides, *options);
  } catch (const Error& error) {
    if (error.code() == ExitCode::kBadConfig) return nullptr;
    throw;
  }
  AnyFault faults;
  options->CheckIn(ContextOf(property), faults);
  return faults.found() ? nullptr : std::move(options);
}

/// Nothing when the options do not fit.
std::optional<LawResult> Judge(const MixerRegistry& mixers, const PropertyCase& property) {
  const std::unique_ptr<MixerOptions> options = Options(mixers, property);
  if (options == nullptr) return std::nullopt;
  LawRequest request;
  request.law = property.law;
  request.seed = property.seed;
  request.T = property.T;
  request.config = kConfig;
  request.overrides = fmt::format(" model.layers=1 model.d_model={} model.block.mixer.type={}",
                                  property.d_model, property.type);
  for (const std::string& override : property.overrides) {
    request.overrides += " model.block.mixer." + override;
  }
  try {
    const auto ask = [&](auto check) {
      return check(*options, ContextOf(property), property.type, request).at(0);
    };
    if (!property.float32) return ask(CheckMixer<double>);
    LawResult single = ask(CheckMixer<float>);
    if (single.passed) return single;
    // Random cases may be ill-conditioned: what double loses in the same way is no fault of float.
    const LawResult twice = ask(CheckMixer<double>);
    single.passed = twice.passed && single.worst <= kSingleOverDouble * twice.worst;
    return single;
  } catch (const std::exception& error) {
    LawResult result;
    result.law = property.law;
    result.subject = property.type;
    result.passed = false;
    result.where = error.what();
    result.replay = fmt::format("ssmctl check {}{} --law {} --seed {} --T {}", request.config,
                                request.overrides, property.law, property.seed, property.T);
    return result;
  }
}

bool StillFails(const MixerRegistry& mixers, const PropertyCase& property) {
  const std::optional<LawResult> result = Judge(mixers, property);
  return result && !result->passed;
}

/// Cases one step simpler than `property`, the boldest first.
std::vector<PropertyCase> Simpler(const PropertyCase& property) {
  std::vector<PropertyCase> cases;
  for (size_t i = 0; i < property.overrides.size(); ++i) {
    cases.push_back(property);
    cases.back().overrides.erase(cases.back().overrides.begin() + static_cast<std::ptrdiff_t>(i));
  }
  const auto lower = [&](int64_t PropertyCase::*member, int64_t value) {
    if (value < 1 || value >= property.*member) return;
    cases.push_back(property);
    cases.back().*member = value;
  };
  for (int64_t PropertyCase::*member : {&PropertyCase::T, &PropertyCase::d_model}) {
    lower(member, 1);
    lower(member, property.*member / 2);
    lower(member, property.*member - 1);
  }
  return cases;
}

}  // namespace

PropertyCase DrawProperty(const MixerRegistry& mixers, const std::string& type, uint64_t index) {
  const MixerRegistry::Entry* entry = mixers.Find(type);
  SSM_CHECK(entry != nullptr, "no mixer of type " + type);
  Random random(HashBytes(type.data(), type.size()), RandomStream::kLaw, index);
  for (int i = 0; i < kTries; ++i) {
    PropertyCase property;
    property.type = type;
    property.seed = index;
    property.law = kLaws[random.Below(std::size(kLaws))];
    property.float32 = random.Bernoulli(0.25);
    property.d_model = 1 + random.Below(8);
    property.T = 1 + random.Below(random.Bernoulli(0.75) ? 16 : 96);
    property.overrides = DrawOverrides(*entry->make(), random);
    if (Options(mixers, property) != nullptr) return property;
  }
  throw Error(ExitCode::kInternal, "no options of " + type + " were found that fit together");
}

LawResult JudgeProperty(const MixerRegistry& mixers, const PropertyCase& property) {
  std::optional<LawResult> result = Judge(mixers, property);
  SSM_CHECK(result.has_value(), "a property's options do not fit together");
  return *std::move(result);
}

PropertyCase ShrinkProperty(const MixerRegistry& mixers, PropertyCase property) {
  for (bool found = true; found;) {
    found = false;
    for (PropertyCase& simpler : Simpler(property)) {
      if (!StillFails(mixers, simpler)) continue;
      property = std::move(simpler);
      found = true;
      break;
    }
  }
  return property;
}

}  // namespace ssm
