#pragma once

#include "cli/map.hpp"

// Configurations that a user asks about, measured or not.
namespace weir::cli {

struct QuestionOptions {
  std::vector<std::string> at;
  std::string rows;
  std::vector<std::string> rows_where;
};

void add_question_options(CLI::App& app, QuestionOptions& options);

struct Question {
  std::size_t map = 0;  // place
  Eigen::VectorXd at;
  std::string label;
};

// "threads=1|4|16,mode=fread" is every combination. A factor or split to rank is asked for at each of its
// measured values. Missing and unknown factors, levels and maps are Errors that name them.
Result<std::vector<Question>> questions(const std::vector<const surface::MapData*>& maps,
                                        const QuestionOptions& asked, const MapOptions& options,
                                        const std::string& rank = {});

// The places of the questions about one map, and their configurations as rows.
struct MapQuestions {
  std::vector<std::size_t> places;
  Eigen::MatrixXd at;
};
MapQuestions about(const std::vector<Question>& asked, std::size_t map);

Json configuration_json(const surface::MapData& map, const Eigen::VectorXd& at);

}  // namespace weir::cli
