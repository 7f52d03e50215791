// eval --probe: read-outs of the state.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/tiny_experiment.h"
#include "cli/tiny_run.h"

namespace ssm {
namespace {

using nlohmann::json;
using test::JsonOf;
using test::Outcome;
using test::RunSsmctl;
using test::Tiny;

TEST_CASE("a probe tells every latent by step, read and answered, and writes nothing") {
  Tiny tiny(test::kTinyDecide);
  tiny.Train();
  const json probe = JsonOf({"eval", tiny.run, "--probe", "eval.examples=64", "--json", "--quiet"});
  CHECK(probe["schema"] == "ssmctl.probe/1");
  const json& cell = probe["cells"][0];
  CHECK(cell["sequences"] == 64);
  CHECK(cell["states"] == 64);  // one scored step each
  CHECK(cell["latents"][0]["name"] == "log-odds");
  CHECK(cell["latents"][0]["metric"] == "nmse");
  CHECK(cell["latents"][1]["name"] == "side");
  const json& all = cell["latents"][1]["groups"][0];
  CHECK(all["step"] == "all");
  CHECK(all["states"] == 16);
  const double read = all["read"]["value"];
  CHECK((read >= 0 && read <= 1));
  CHECK(all["answered"]["value"].is_number());
  CHECK_FALSE(Exists(tiny.run + "/results"));
  const Outcome text = RunSsmctl({"eval", tiny.run, "--probe", "eval.examples=64", "--quiet"});
  CHECK(text.code == 0);
  CHECK(text.out.find("log-odds  nmse") != std::string::npos);
}

TEST_CASE("a latent with an id beyond those asked for is set against the answers") {
  Tiny tiny(R"({
    "name": "tiny_induction", "seed": 3,
    "task": {"type": "induction", "symbols": 3, "steps": 12},
    "model": {"d_model": 8, "layers": 1, "block": {"mixer": {"type": "gru"}}},
    "train": {"steps": 4, "batch": 4, "warmup": 1, "eval_every": 4, "checkpoint_every": 4, "eval_examples": 8}
  })");
  tiny.Train();
  const json probe = JsonOf({"eval", tiny.run, "--probe", "eval.examples=64", "--json", "--quiet"});
  const json& latent = probe["cells"][0]["latents"][0];
  CHECK(latent["name"] == "symbol to remember");
  // One scored step each; the last quarter of the sequences is judged.
  const std::string samples = tiny.folder / "samples.jsonl";
  CHECK(RunSsmctl({"eval", tiny.run, "eval.examples=64", "eval.mode=step", "--samples", samples,
                   "--quiet"})
            .code == 0);
  double right = 0;
  int64_t index = 0;
  std::istringstream lines(ReadFile(samples));
  for (std::string line; std::getline(lines, line); ++index) {
    if (index >= 48) right += json::parse(line)["accuracy"]["model"].get<double>();
  }
  REQUIRE(index == 64);
  CHECK(latent["groups"][0]["answered"]["value"].get<double>() ==
        doctest::Approx(right / 16).epsilon(1e-12));
  const Outcome text = RunSsmctl({"eval", tiny.run, "--probe", "eval.examples=64", "--quiet"});
  CHECK(text.out.find("answered: by the model") != std::string::npos);
  CHECK(text.out.find("answered -") == std::string::npos);
}

TEST_CASE("what a probe cannot give is refused") {
  Tiny tiny(test::kTinyDecide);
  tiny.Train();
  const Outcome plot =
      RunSsmctl({"eval", tiny.run, "--probe", "--plot", tiny.folder / "plots", "--quiet"});
  CHECK(plot.code == 64);
  CHECK(plot.err.find("--probe prints read-outs alone") != std::string::npos);
  const Outcome few = RunSsmctl({"eval", tiny.run, "--probe", "eval.examples=3", "--quiet"});
  CHECK(few.code == 78);
  CHECK(few.err.find("3 sequences") != std::string::npos);
}

}  // namespace
}  // namespace ssm
