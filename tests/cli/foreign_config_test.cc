// The config beside a published model: what is taken of it, ignored, and refused.
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "cli/published_case.h"
#include "cli/tiny_run.h"
#include "ssm/base/files.h"

using namespace ssm;
using nlohmann::json;
using ssm::test::ErrorOfImport;
using ssm::test::JsonOf;
using ssm::test::PublishedCase;
using ssm::test::PublishedCases;
using ssm::test::TempFolder;

TEST_CASE("of a foreign config the context is taken, the rest listed, other models refused") {
  for (const PublishedCase& reference : PublishedCases()) {
    CAPTURE(reference.family);
    const TempFolder folder;
    const std::string config = folder / "config.json", run = folder / "run";
    AtomicWriteFile(config,
                    R"({"vocab_size": 11, "context_length": 7, "layer_norm_epsilon": 1e-5,
                        "use_cache": true, "intermediate_size": null})");
    const json imported = JsonOf(
        {"import", reference.family, reference.weights, config, "--out", run, "--json", "--quiet"});
    CHECK(imported["ignored"] == json({"use_cache", "intermediate_size"}));
    const json resolved = json::parse(ReadFile(JoinPath(run, "config.json")));
    CHECK(resolved["task"]["context"] == 7);
    JsonOf({"export", run, "--out", folder / "out", "--config", folder / "out.json", "--json",
            "--quiet"});
    const json written = json::parse(ReadFile(folder / "out.json"));
    CHECK(written["context_length"] == 7);
    CHECK(written["vocab_size"] == 11);
    CHECK(written["num_hidden_layers"] == 2);
    const std::string again = folder / "again";
    JsonOf({"import", reference.family, folder / "out", folder / "out.json", "--out", again,
            "--json", "--quiet"});
    CHECK(ReadFile(JoinPath(again, "config.json")) == ReadFile(JoinPath(run, "config.json")));

    const auto refused = [&](const std::string& text) {
      AtomicWriteFile(config, text);
      return ErrorOfImport(reference.family, reference.weights, folder, config);
    };
    CHECK(refused(R"({"layer_norm_epsilon": 1e-6})").find("allowed for a") != std::string::npos);
    CHECK(refused(R"({"model_type": "gpt2"})").find("\"model_type\"") != std::string::npos);
    CHECK(refused("[]").find("no JSON object") != std::string::npos);
    CHECK(refused("{").find("no JSON object") != std::string::npos);
  }
}

TEST_CASE("a foreign config that contradicts the tensors is refused with all it contradicts") {
  // Every size the tensors have, under every key that states it.
  const std::map<std::string, json> sizes = {
      {"mamba", json::parse(R"({"vocab_size": 11, "hidden_size": 16, "d_model": 16,
        "num_hidden_layers": 2, "n_layer": 2, "intermediate_size": 32, "d_inner": 32, "expand": 2,
        "state_size": 4, "conv_kernel": 4, "time_step_rank": 1})")},
      {"rwkv4", json::parse(R"({"vocab_size": 11, "hidden_size": 8, "n_embd": 8,
        "num_hidden_layers": 2, "n_layer": 2, "attention_hidden_size": 8, "dim_att": 8,
        "intermediate_size": 32, "dim_ffn": 32})")}};
  for (const PublishedCase& reference : PublishedCases()) {
    CAPTURE(reference.family);
    const TempFolder folder;
    const std::string config = folder / "config.json";
    const json& agreeing = sizes.at(reference.family);
    AtomicWriteFile(config, agreeing.dump());
    CHECK(JsonOf({"import", reference.family, reference.weights, config, "--out", folder / "run",
                  "--json", "--quiet"})["ignored"]
              .empty());
    json contradicting = agreeing;
    for (auto& [key, value] : contradicting.items()) value = value.get<int64_t>() + 3;
    AtomicWriteFile(config, contradicting.dump());
    const std::string all = ErrorOfImport(reference.family, reference.weights, folder, config);
    for (const auto& [key, value] : agreeing.items()) {
      const std::string fault = "\"" + key + "\" is " + contradicting[key].dump() +
                                ", and the tensors have " + value.dump();
      CAPTURE(fault);
      CHECK(all.find(fault) != std::string::npos);
      AtomicWriteFile(config, json{{key, contradicting[key]}}.dump());
      CHECK(ErrorOfImport(reference.family, reference.weights, folder, config).find(fault) !=
            std::string::npos);
    }
    AtomicWriteFile(config, R"({"hidden_size": "wide", "tie_word_embeddings": true})");
    const std::string odd = ErrorOfImport(reference.family, reference.weights, folder, config);
    CHECK(odd.find("\"hidden_size\" is \"wide\", and the tensors have ") != std::string::npos);
    // Of the references rwkv4's alone has a head of its own.
    CHECK((odd.find("\"tie_word_embeddings\" is true") != std::string::npos) ==
          (reference.family == "rwkv4"));
  }
}

TEST_CASE("sizes a mamba config states in its own ways") {
  const PublishedCase reference = PublishedCases().front();
  const TempFolder folder;
  const std::string config = folder / "config.json";
  int runs = 0;
  const auto taken = [&](const std::string& text) {
    AtomicWriteFile(config, text);
    const std::string run = folder / ("run" + std::to_string(++runs));
    return JsonOf({"import", "mamba", reference.weights, config, "--out", run, "--json",
                   "--quiet"})["ignored"];
  };
  const auto refused = [&](const std::string& text) {
    AtomicWriteFile(config, text);
    return ErrorOfImport("mamba", reference.weights, folder, config);
  };
  // 11 rows of the table: 9 and 10 round up to 11 only where the multiple is 11.
  CHECK(taken(R"({"vocab_size": 9, "pad_vocab_size_multiple": 11})") ==
        json({"pad_vocab_size_multiple"}));
  CHECK(refused(R"({"vocab_size": 9, "pad_vocab_size_multiple": 8})")
            .find("\"vocab_size\" is 9, and the tensors have 11") != std::string::npos);
  // ceil(16 / 16) = 1
  CHECK(taken(R"({"time_step_rank": "auto", "ssm_cfg": {}})") == json({"ssm_cfg"}));
  CHECK(taken(R"({"ssm_cfg": {"d_state": 4, "layer": "Mamba1"}})") == json({"ssm_cfg.layer"}));
  CHECK(refused(R"({"ssm_cfg": {"d_state": 16}})")
            .find("\"ssm_cfg.d_state\" is 16, and the tensors have 4") != std::string::npos);
  CHECK(refused(R"({"use_bias": true})").find("no bias of mixer.in_proj") != std::string::npos);
}
