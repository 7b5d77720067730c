#!/usr/bin/env python3
"""check.py: the SARIF, JUnit and Markdown that test_forms leaves in the build directory have what their formats require.

    tests/forms/check.py BUILD_DIRECTORY

The rules are those of the SARIF 2.1.0 schema (required members, types, enumerations, indices) and of the JUnit XML that CI systems
read; no network and no schema file are needed. With schemas at hand the files are validated against them, too:

    LW_SARIF_SCHEMA=sarif-schema-2.1.0.json   of OASIS (github.com/oasis-tcs/sarif-spec); needs Python's jsonschema
    LW_JUNIT_SCHEMA=junit-10.xsd              of Jenkins' xunit plugin; needs xmllint
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.parse
import xml.etree.ElementTree as xml

LEVELS = {"none", "note", "warning", "error"}
wrong = []


def need(condition, message):
    if not condition:
        wrong.append(message)


def text_of(message, where):
    need(isinstance(message, dict) and isinstance(message.get("text"), str) and message["text"], f"{where}: a message needs a text")


def check_location(location, bases, where):
    physical = location.get("physicalLocation")
    if physical:
        artifact = physical["artifactLocation"]
        uri = artifact["uri"]
        need(re.fullmatch(r"[A-Za-z0-9\-._~/%:]+", uri), f"{where}: no URI: {uri}")
        need(not re.search(r"%(?![0-9A-F]{2})", uri), f"{where}: a stray % in {uri}")
        absolute = bool(urllib.parse.urlparse(uri).scheme)
        need(absolute != ("uriBaseId" in artifact), f"{where}: {uri} is neither absolute nor below a base")
        need("uriBaseId" not in artifact or artifact["uriBaseId"] in bases, f"{where}: unknown base")
        if "region" in physical:
            need(isinstance(physical["region"]["startLine"], int) and physical["region"]["startLine"] >= 1, f"{where}: startLine")
    for logical in location.get("logicalLocations", []):
        need(logical.get("fullyQualifiedName"), f"{where}: a logical location without name")
    if "message" in location:
        text_of(location["message"], where)


def check_result(result, rules, bases, number):
    where = f"result {number}"
    text_of(result.get("message"), where)
    need(result.get("level") in LEVELS, f"{where}: level")
    need(rules[result["ruleIndex"]]["id"] == result["ruleId"], f"{where}: ruleIndex names another rule")
    need(len(result["locations"]) <= 1, f"{where}: one location")
    need(result.get("partialFingerprints"), f"{where}: no fingerprint")
    for location in result["locations"] + result.get("relatedLocations", []):
        check_location(location, bases, where)
    ids = [location["id"] for location in result.get("relatedLocations", [])]
    need(len(ids) == len(set(ids)), f"{where}: ids of related locations")
    for flow in result.get("codeFlows", []):
        need(flow["threadFlows"], f"{where}: a code flow needs a thread flow")
        for thread in flow["threadFlows"]:
            need(len(thread["locations"]) >= 2, f"{where}: a flow has both sides")
            for step in thread["locations"]:
                check_location(step["location"], bases, where)


def check_sarif(path):
    log = json.loads(path.read_text(encoding="utf-8"))
    need(log["version"] == "2.1.0", "version")
    need(log["$schema"].startswith("https://"), "$schema")
    for run in log["runs"]:
        driver = run["tool"]["driver"]
        bases = run.get("originalUriBaseIds", {})
        need(driver["name"] == "lanewise", "tool.driver.name")
        need(all(base["uri"].startswith("file:///") and base["uri"].endswith("/") for base in bases.values()), "a base ends with /")
        ids = [rule["id"] for rule in driver["rules"]]
        need(len(ids) == len(set(ids)), "two rules have one id")
        for rule in driver["rules"]:
            text_of(rule["shortDescription"], rule["id"])
            text_of(rule["fullDescription"], rule["id"])
            need(rule["defaultConfiguration"]["level"] in LEVELS, f"{rule['id']}: level")
        for number, result in enumerate(run["results"]):
            check_result(result, driver["rules"], bases, number)
        need(any("codeFlows" in result for result in run["results"]), "no race with both sides")
        need({"error", "warning", "note"} <= {result["level"] for result in run["results"]}, "not all levels")


def check_junit(path):
    root = xml.parse(path).getroot()
    need(root.tag == "testsuites", "root element")
    for suite in root:
        cases = suite.findall("testcase")
        failing = [case for case in cases if case.find("failure") is not None]
        need(int(suite.get("tests")) == len(cases), "number of tests")
        need(int(suite.get("failures")) == len(failing), "number of failures")
        for case in cases:
            need(case.get("name") and case.get("classname"), "a case without name")
            float(case.get("time"))
        for failure in suite.iter("failure"):
            need(failure.get("message") and failure.get("type"), "a failure without message or type")


def check_markdown(path):
    text = path.read_text(encoding="latin-1")
    tables = re.findall(r"(?:^\|.*\n)+", text, re.M)
    need(len(tables) == 2, "two tables: lines and kernels")
    for table in tables:
        columns = {len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}
        need(len(columns) == 1, f"a table whose rows have {sorted(columns)} bars")


def check_schemas(pages):
    sarif, junit = os.environ.get("LW_SARIF_SCHEMA"), os.environ.get("LW_JUNIT_SCHEMA")
    if sarif:
        import jsonschema  # only where somebody asks for it

        schema = json.loads(pathlib.Path(sarif).read_text(encoding="utf-8"))
        validator = jsonschema.validators.validator_for(schema)(schema)
        for error in validator.iter_errors(json.loads((pages / "forms.sarif").read_text(encoding="utf-8"))):
            wrong.append(f"SARIF schema: {'/'.join(map(str, error.path))}: {error.message[:200]}")
    if junit:
        done = subprocess.run(["xmllint", "--noout", "--schema", junit, pages / "forms.xml"], capture_output=True, text=True, check=False)
        need(done.returncode == 0, f"JUnit schema: {done.stderr}")
    print("against schemas:", ", ".join(name for name, given in (("SARIF", sarif), ("JUnit", junit)) if given) or "none given")


def main():
    pages = pathlib.Path(sys.argv[1]) / "pages"
    check_sarif(pages / "forms.sarif")
    check_junit(pages / "forms.xml")
    check_markdown(pages / "forms.md")
    check_schemas(pages)
    for message in wrong:
        print(message)
    print("failed" if wrong else "passed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
