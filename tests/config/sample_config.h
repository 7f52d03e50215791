// A config with a field of every kind, shaped like an experiment.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ssm/config/fields.h"
#include "ssm/config/registry.h"

namespace ssm::test {

enum class Norm { kNone, kLayer, kRms };

/// One line from fields to text, so that equal structs are equal text.
class SampleMixer : public Configurable {};
using SampleRegistry = Registry<SampleMixer>;

struct CacheOptions final : Configurable {
  int64_t window = 64, bits = 16;
  void VisitFields(FieldVisitor& visitor) override {
    visitor.Int("window", window, {1, 4096}, "tokens kept");
    visitor.Int("bits", bits, {2, 32}, "of each number");
  }
};

struct S4dOptions final : SampleMixer {
  int64_t d_state = 64, init = 0;
  double dt_min = 0.001;
  void VisitFields(FieldVisitor& visitor) override {
    visitor.Int("d_state", d_state, {2, 1024}, "real numbers per channel");
    visitor.Choice("init", init, {Named<int64_t>{"lin", 0}, {"inv", 1}, {"legs", 2}}, "of A");
    visitor.Real("dt_min", dt_min, Positive(), "smallest step, in samples");
  }
};

struct LruOptions final : SampleMixer {
  int64_t d_state = 32, init = 0;
  double r_min = 0.9, r_max = 0.999;
  void VisitFields(FieldVisitor& visitor) override {
    visitor.Int("d_state", d_state, {1, 512}, "complex numbers");
    visitor.Choice("init", init, {Named<int64_t>{"ring", 0}, {"disk", 1}}, "of the eigenvalues");
    visitor.Real("r_min", r_min, {.min = 0, .max = 1, .open_max = true}, "inner radius");
    visitor.Real("r_max", r_max, {.min = 0, .max = 1, .open_min = true}, "outer radius");
  }
  void Check(Faults& faults) const override {
    if (r_min > r_max) faults.Add("r_min", "found r_min above r_max; allowed: r_min <= r_max");
  }
};

struct WindowOptions final : SampleMixer {
  int64_t heads = 4;
  CacheOptions cache;
  void VisitFields(FieldVisitor& visitor) override {
    visitor.Int("heads", heads, {1, 64}, "attention heads");
    visitor.Object("cache", cache, "keys and values");
  }
};

inline const SampleRegistry& Mixers() {
  static const SampleRegistry registry = [] {
    SampleRegistry r;
    r.Add<S4dOptions>("s4d", "diagonal state-space model");
    r.Add<LruOptions>("lru", "linear recurrent unit");
    r.Add<WindowOptions>("window", "attention over the last tokens");
    return r;
  }();
  return registry;
}

struct MlpOptions final : Configurable {
  double expand = 2;
  bool gated = true;
  void VisitFields(FieldVisitor& visitor) override {
    visitor.Real("expand", expand, Positive(), "width over d_model");
    visitor.Bool("gated", gated, "multiply by a gate");
  }
};

struct BlockOptions final : Configurable {
  Norm norm = Norm::kRms;
  bool residual = true;
  double dropout = 0;
  bool has_mlp = true;
  MlpOptions mlp;
  OneOf<SampleMixer> mixer{Mixers()};
  void VisitFields(FieldVisitor& visitor) override {
    visitor.Choice("norm", norm,
                   {Named<Norm>{"none", Norm::kNone}, {"layer", Norm::kLayer}, {"rms", Norm::kRms}},
                   "before the mixer");
    visitor.Bool("residual", residual, "add the input");
    visitor.Real("dropout", dropout, {.min = 0, .max = 1, .open_max = true}, "probability");
    visitor.OptionalObject("mlp", has_mlp, mlp, "a gated layer after the mixer");
    visitor.Tagged("mixer", mixer, "what mixes over time");
  }
};

struct ModelOptions final : Configurable {
  int64_t d_model = 64;
  StackOf<BlockOptions> layers{[] { return std::make_unique<BlockOptions>(); }};
  void VisitFields(FieldVisitor& visitor) override {
    visitor.Int("d_model", d_model, {1, 4096}, "channels");
    visitor.Stack("block", "layers", layers, {1, 64}, "a number, or a patch for each");
  }
};

struct SeedOptions final : Configurable {
  int64_t init = 1, data = 1, eval = 1000;
  void VisitFields(FieldVisitor& visitor) override {
    visitor.Int("init", init, {0}, "of parameters");
    visitor.Int("data", data, {0}, "of training sequences");
    visitor.Int("eval", eval, {0}, "of test sequences");
  }
};

struct GroupOptions final : Configurable {
  double lr = 0.001, weight_decay = 0;
  void VisitFields(FieldVisitor& visitor) override {
    visitor.Real("lr", lr, NonNegative(), "learning rate");
    visitor.Real("weight_decay", weight_decay, NonNegative(), "per step and lr");
  }
};

struct TrainOptions final : Configurable {
  TrainOptions() { groups.Insert("ssm"); }
  int64_t steps = 2000, warmup = 100;
  double lr = 0.003, clip = 1;
  MapOf<GroupOptions> groups;
  std::optional<std::string> init_from;
  std::vector<double> betas = {0.9, 0.999};
  int64_t keep = 3;
  void VisitFields(FieldVisitor& visitor) override {
    visitor.Int("steps", steps, {1}, {"optimiser steps", FieldRole::kExtension});
    visitor.Int("warmup", warmup, {0}, "steps");
    visitor.Real("lr", lr, Positive(), "peak learning rate");
    visitor.Real("clip", clip, {.min = 0, .open_min = true, .infinite = true},
                 "largest gradient norm");
    visitor.Map("groups", groups, "rates of their own");
    visitor.OptionalText("init_from", init_from, "a run to start from");
    visitor.RealList("betas", betas, {.min = 0, .max = 1, .open_max = true}, "of AdamW");
    visitor.Int("keep", keep, {1}, {"checkpoints kept", FieldRole::kCadence});
  }
  void Check(Faults& faults) const override {
    if (warmup > steps) faults.Add("warmup", "found more warm-up than steps; lower it");
    if (betas.size() != 2) faults.Add("betas", "found not two of them; allowed: two");
  }
};

struct EvalOptions final : Configurable {
  std::vector<int64_t> lengths = {256};
  std::vector<std::string> tags;
  double horizon = std::numeric_limits<double>::infinity();
  void VisitFields(FieldVisitor& visitor) override {
    visitor.IntList("lengths", lengths, {1, 1'000'000}, "steps of a test sequence");
    visitor.TextList("tags", tags, "words for tables");
    visitor.Real("horizon", horizon, {.infinite = true}, "seconds; negative ones look back");
  }
};

struct SampleConfig final : Configurable {
  std::string name = "sample";
  SeedOptions seed;
  ModelOptions model;
  OneOf<SampleMixer> teacher{Mixers(), "lru"};
  TrainOptions train;
  EvalOptions eval;
  void VisitFields(FieldVisitor& visitor) override {
    visitor.Text("name", name, {"of the run", FieldRole::kCadence});
    int64_t* const seeds[] = {&seed.init, &seed.data, &seed.eval};
    visitor.ObjectOrInt("seed", seed, seeds, "seeds");
    visitor.Object("model", model, "what is trained");
    visitor.Tagged("teacher", teacher, "makes the targets");
    visitor.Object("train", train, "how it is trained");
    visitor.Object("eval", eval, {"how it is scored", FieldRole::kCadence});
  }
};

}  // namespace ssm::test
