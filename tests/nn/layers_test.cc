// The two faces of every small layer: on a tape, and on rows.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "ssm/base/errors.h"
#include "ssm/nn/embedding_layer.h"
#include "ssm/nn/linear_layer.h"
#include "ssm/nn/mlp.h"
#include "ssm/nn/norm_layer.h"
#include "support/allocation_counter.h"
#include "support/numbers.h"

namespace ssm {
namespace {

using kernels::Activation;

template <Scalar T>
constexpr T kTolerance = std::same_as<T, float> ? T(1e-5) : T(1e-13);

/// Apply on [rows, 1, in] against ApplyRows, which must not allocate.
template <Scalar T, class Layer, class Rows>
void CheckFaces(const Layer& layer, const ParameterStore& store, int64_t rows, int64_t in,
                Rows apply_rows) {
  Parameters<T> params(store);
  const auto x = test::Numbers<T>(rows * in, 3);
  Tape<T> tape(Mode::kInfer, params.View());
  const Var<T> y = layer.Apply(tape, tape.Bind({rows, 1, in}, x.data()));
  std::vector<T> by_rows(static_cast<size_t>(tape.shape(y).size()));
  const ParamView<T> view = params.View();
  const test::AllocationScope scope;
  apply_rows(view, x.data(), by_rows.data());
  CHECK(scope.count() == 0);
  for (size_t i = 0; i < by_rows.size(); ++i) {
    CHECK(std::abs(by_rows[i] - tape.value(y)[i]) <= kTolerance<T>);
  }
}

TEST_CASE_TEMPLATE("linear layers", T, float, double) {
  for (int64_t rows : {1, 3, 20}) {
    for (bool bias : {true, false}) {
      ParameterStore store;
      const LinearLayer layer(ParameterBuilder(store, 1), 7, 5, bias);
      CHECK(store.infos().size() == (bias ? 2 : 1));
      CHECK(store.infos()[0].param.shape == Shape{5, 7});
      CheckFaces<T>(layer, store, rows, 7,
                    [&](const auto& view, const T* x, T* y) { layer.ApplyRows(view, rows, x, y); });
    }
  }
}

TEST_CASE_TEMPLATE("norm layers of every kind", T, float, double) {
  for (NormKind kind : {NormKind::kNone, NormKind::kLayer, NormKind::kRms}) {
    ParameterStore store;
    const NormLayer layer(ParameterBuilder(store, 1), kind, 6);
    for (const ParameterInfo& info : store.infos()) CHECK(!info.decay);
    CheckFaces<T>(layer, store, 4, 6,
                  [&](const auto& view, const T* x, T* y) { layer.ApplyRows(view, 4, x, y); });
  }
}

TEST_CASE_TEMPLATE("mlps, plain and gated", T, float, double) {
  for (bool gated : {true, false}) {
    ParameterStore store;
    const Mlp mlp(ParameterBuilder(store, 1), 6, 11, gated, Activation::kSilu);
    CHECK(store.count() == (gated ? 2 : 1) * (6 * 11 + 11) + 11 * 6 + 6);
    CHECK((store.Find("gate.weight") != nullptr) == gated);
    std::vector<T> scratch(static_cast<size_t>(mlp.ScratchSize(3)));
    CheckFaces<T>(mlp, store, 3, 6, [&](const auto& view, const T* x, T* y) {
      mlp.ApplyRows(view, 3, x, y, scratch.data());
    });
  }
}

TEST_CASE("embedding layers sum their tables on both faces") {
  ParameterStore store;
  const EmbeddingLayer layer(ParameterBuilder(store, 1), {{"object", 4}, {"place", 3}}, 5);
  CHECK(store.Find("object.weight")->param.shape == Shape{4, 5});
  CHECK(!store.Find("place.weight")->decay);
  Parameters<double> params(store);
  const std::vector<int64_t> ids{3, 2, 0, 0}, fresh{0, 0};
  Tape<double> tape(Mode::kInfer, params.View());
  const Clock clock = MakeClock(tape, fresh, 1, nullptr, nullptr);
  const Var<double> y = layer.Apply(tape, clock, ids);
  std::vector<double> rows(10, 0);
  layer.AddRows(params.View(), 2, ids.data(), rows.data());
  CHECK(std::equal(rows.begin(), rows.end(), tape.value(y)));
  CHECK(rows[0] == params.values(*store.Find("object.weight"))[15] +
                       params.values(*store.Find("place.weight"))[10]);
  const std::vector<int64_t> bad{0, 3, 0, 0};
  CHECK_THROWS_WITH_AS(layer.AddRows(params.View(), 2, bad.data(), rows.data()),
                       "row 0: token field place has id 3, allowed is 0 to 2", Error);
}

}  // namespace
}  // namespace ssm
