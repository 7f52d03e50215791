#include "ssm/nn/parameters.h"

#include <doctest/doctest.h>

#include "ssm/base/errors.h"
#include "ssm/nn/init.h"
#include "support/error_of.h"

namespace ssm {
namespace {

TEST_CASE("tensors are named under scopes, aligned to 16, and found") {
  ParameterStore store;
  ParameterBuilder root(store, 1);
  root.Add("a", {3}, Ones());
  root.Scope("layers.0").Scope("mixer").Add("A", {2, 9}, Constant(2), "ssm", false);
  CHECK(store.count() == 21);
  CHECK(store.flat_size() == 16 + 32);
  const ParameterInfo* info = store.Find("layers.0.mixer.A");
  REQUIRE(info != nullptr);
  CHECK(info->param.offset == 16);
  CHECK(info->group == "ssm");
  CHECK(!info->decay);
  CHECK(store.Find("layers.0") == nullptr);
  CHECK(store.initial()[2] == 1);
  CHECK(store.initial()[3] == 0);
  CHECK_THROWS_AS(root.Add("a", {1}, Ones()), Error);
}

TEST_CASE("a tensor's draw depends on seed and name, not on what else there is") {
  const auto draw = [](uint64_t seed, bool another) {
    ParameterStore store;
    ParameterBuilder root(store, seed);
    if (another) root.Add("z", {5}, Normal(0, 1));
    const Param p = root.Add("w", {4}, Normal(0, 1));
    const auto at = store.initial().begin() + p.offset;
    return std::vector<double>(at, at + 4);
  };
  CHECK(draw(1, false) == draw(1, true));
  CHECK(draw(1, false) != draw(2, false));
}

TEST_CASE("float and double start as the same model, and views carry the version") {
  ParameterStore store;
  ParameterBuilder(store, 5).Add("w", {7}, Normal(0, 1));
  Parameters<float> f(store);
  Parameters<double> d(store);
  for (size_t i = 0; i < 7; ++i) CHECK(f.flat()[i] == static_cast<float>(d.flat()[i]));
  const uint64_t before = *f.View().version;
  f.Touch();
  CHECK(*f.View().version == before + 1);
  CHECK(f.values(store.infos()[0]).size() == 7);
}

TEST_CASE("a layout is the same without values, and has none") {
  ParameterStore drawn, layout(InitialValues::kLayout);
  for (ParameterStore* store : {&drawn, &layout}) {
    ParameterBuilder root(*store, 3);
    root.Add("w", {3, 5}, Normal(0, 1));
    root.Scope("layers.0").Add("dt", {2}, Ones(), "ssm", false);
  }
  CHECK(layout.flat_size() == drawn.flat_size());
  CHECK(layout.count() == drawn.count());
  CHECK(layout.Find("layers.0.dt")->param.offset == drawn.Find("layers.0.dt")->param.offset);
  CHECK(layout.initial().empty());
  CHECK_THROWS_AS(Parameters<float>{layout}, Error);
  // A tensor of 2^50 numbers takes no memory.
  ParameterBuilder(layout, 3).Add("huge", {int64_t{1} << 25, int64_t{1} << 25}, Normal(0, 1));
  CHECK(layout.flat_size() > int64_t{1} << 50);
  const auto thrown = test::ErrorOf([&] {
    ParameterBuilder(drawn, 3).Add("huge", {int64_t{1} << 25, int64_t{1} << 25}, Normal(0, 1));
  });
  CHECK(thrown.code == ExitCode::kRefused);
  CHECK(thrown.Says("take 8.00 PiB of memory and "));
}

}  // namespace
}  // namespace ssm
