#!/usr/bin/env bash
# Package: pypi typos
# Version: 1.52.0
# Guess: each result in the SARIF of typos has a ruleId and a message with a text, so that rule, file
#   and line tell an alert from others
# Behaviour: no result has a rule, and the tool has none; a message has no text, only markdown, which
#   names the word: two misspelt words of one line differ in that and in their columns alone
# Relies: plugins/unlatch_regressions/alerts/sarif.py
# Test: tests/cli/regressions/test_alerts.py::test_results_without_a_rule_are_told_apart_by_their_messages
source "$(dirname "$0")/common.sh"
pip_install typos==1.52.0
project
echo "teh adress" >guide.txt
typos --format sarif guide.txt >report.sarif || true
cat >"$WORK/try.py" <<'PYTHON'
import json

(run,) = json.load(open("report.sarif"))["runs"]
print("rules of the tool:", run["tool"]["driver"].get("rules"))
for result in run["results"]:
    region = result["locations"][0]["physicalLocation"]["region"]
    print(region["startLine"], result.get("ruleId"), result.get("rule"), result["message"])
PYTHON
python "$WORK/try.py" >"$WORK/seen"
seen <<'END'
rules of the tool: None
1 None None {'markdown': '`teh` should be `the`'}
1 None None {'markdown': '`adress` should be `address`'}
END
