"""Asks a server for some paths and holds every answer against the schema that its OpenAPI document has for it.

usage: openapi_answers.py SERVER TEMPLATE=PATH...   (below /api/v1, as in '/hunts/{id}=/hunts/1')
"""

import json
import sys
import urllib.request

import jsonschema

server, *pairs = sys.argv[1:]


def ask(path):
    with urllib.request.urlopen(f"{server}api/v1{path}", timeout=20) as answer:
        return json.load(answer)


document = ask("/openapi.json")
for pair in pairs:
    template, path = pair.split("=", 1)
    operation = document["paths"][f"/api/v1{template}"]["get"]
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    answer = ask(path)
    assert answer, f"{path} has something to hold against the schema"
    jsonschema.Draft202012Validator({**schema, "components": document["components"]}).validate(answer)
    print(f"{path} is as it is said to be")
