#include "consistency/model_file.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include "base/file.hpp"

namespace weir::consistency {
namespace {

constexpr std::uint64_t kLargestFile = 1 << 20;

Error at(const toml::node& node, std::string message) {
  return Error{Errc::bad_data, std::move(message)}.in(fmt::format("line {}", node.source().begin.line));
}

Result<Operations> operations_of(std::string_view key, const toml::node& node) {
  const toml::array* const list = node.as_array();
  if (list == nullptr) return at(node, fmt::format("'{}' must be a list of operations", key));
  Operations found;
  for (const toml::node& item : *list) {
    const auto word = item.value<std::string>();
    const auto operation = word ? find_operation(*word) : std::nullopt;
    if (!operation)
      return at(item,
                fmt::format("'{}' has no operation {}", key, word ? "'" + *word + "'" : "that is no text"))
          .with_remedy("operations are " + list_of_operations());
    found.add(*operation);
  }
  return found;
}

Result<void> take(Model& model, std::string_view key, const toml::node& node) {
  if (key == "name" || key == "summary") {
    const auto text = node.value<std::string>();
    if (!text || text->empty()) return at(node, fmt::format("'{}' must be a text", key));
    (key == "name" ? model.name : model.summary) = *text;
    return {};
  }
  if (key == "own_order" || key == "strong_names") {
    const auto flag = node.value_exact<bool>();
    if (!flag) return at(node, fmt::format("'{}' must be true or false", key));
    (key == "own_order" ? model.own_order : model.strong_names) = *flag;
    return {};
  }
  if (key == "publish" || key == "see") {
    const auto set = operations_of(key, node);
    if (!set) return set.error();
    if (key == "see" && set->has(Operation::write))
      return at(node, "a write does not make others' writes seen");
    (key == "publish" ? model.publish : model.see) = *set;
    return {};
  }
  return at(node, fmt::format("a model has no '{}'", key))
      .with_remedy("it has name, summary, like, publish, see, own_order and strong_names");
}

Result<Model> model_of(const toml::table& table) {
  Model model;
  if (const toml::node* const like = table.get("like"); like != nullptr) {
    const auto word = like->value<std::string>();
    const Model* const base = word ? find_model(*word) : nullptr;
    if (base == nullptr)
      return at(*like, "'like' names no built-in model").with_remedy("models are " + list_of_models());
    model = *base;
    model.name.clear();
  }
  for (const auto& [key, node] : table) {
    if (key.str() == "like") continue;
    if (const auto taken = take(model, key.str(), node); !taken) return taken.error();
  }
  if (model.name.empty()) return Error{Errc::bad_data, "the model has no 'name'"};
  return model;
}

}  // namespace

Result<Model> parse_model(std::string_view text, std::string_view file) {
  try {
    auto model = model_of(toml::parse(text));
    if (!model) return model.error().in(file);
    return model;
  } catch (const toml::parse_error& failure) {
    return Error{Errc::bad_data, std::string(failure.description())}
        .in(fmt::format("line {}, column {}", failure.source().begin.line, failure.source().begin.column))
        .in(file);
  }
}

Result<Model> read_model(const std::filesystem::path& path) {
  const auto text = read_text(path, kLargestFile);
  if (!text) return text.error();
  return parse_model(*text, path.string());
}

}  // namespace weir::consistency
