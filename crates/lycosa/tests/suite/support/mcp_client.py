"""An independent client of the Model Context Protocol: lists all tools and calls each, and holds every answer
against the schema that was announced for it. Prints one JSON object with what it got.

usage: mcp_client.py SCENARIO   (a JSON file: how to reach the server, and what to ask)
"""

import asyncio
import json
import sys
from urllib.parse import urlsplit

import jsonschema
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


async def walk(session, scenario):
    info = await session.initialize()
    listed = (await session.list_tools()).tools
    tools = {tool.name: tool for tool in listed}
    got = {"server": info.server_info.name, "instructions": info.instructions, "calls": {}}
    got["tools"] = {
        tool.name: {
            "annotations": tool.annotations.model_dump(by_alias=True) if tool.annotations else None,
            "description": tool.description,
            "input": tool.input_schema,
        }
        for tool in listed
    }

    async def call(label, name, arguments):
        result = await session.call_tool(name, arguments)
        text = "".join(block.text for block in result.content)
        if result.is_error:
            got["calls"][label] = {"error": text}
            return None
        answer = result.structured_content
        jsonschema.validate(answer, tools[name].output_schema)
        assert json.loads(text) == answer, "the text says the same"
        got["calls"][label] = answer
        return answer

    async def until(name, arguments, good):
        for _ in range(400):
            result = await session.call_tool(name, arguments)
            if not result.is_error and good(result.structured_content):
                return
            await asyncio.sleep(0.05)
        raise SystemExit(f"{name} {arguments} never got there")

    front, page, hostile = scenario["front"], scenario["page"], scenario["hostile"]
    await call("search", "search", {"query": "telescope", "max_results": "3", "explain": "true"})
    await call("search_filtered", "search", {
        "query": "telescope", "include_domains": scenario["site"], "exclude_domains": ["nowhere.test"],
        "start_date": "2001-01-01", "lang": None, "exact_match": False,
    })
    await call("hostile", "fetch", {"id": hostile})
    await call("hostile_search", "search", {"query": "zyzzyva"})
    part = await call("fetch", "fetch", {"urls": page, "max_characters": 100.0, "format": "markdown"})
    cursor = part["pages"][0]["next_cursor"]
    await call("fetch_rest", "fetch", {"urls": [page], "max_characters": 50000, "cursor": cursor, "format": "markdown"})
    query = f"site:{urlsplit(scenario['missing']).netloc}"
    created = await call("watch_create", "watch_create", {"query": query, "name": "kitchen", "max_results": "100"})
    watch = {"watch_id": created["watch_id"]}
    await until("watch_get", watch, lambda answer: answer["last_check"] is not None)
    await call("watch_first", "watch_checks", watch)
    await call("watch_nothing", "watch_create", {"schedule": "daily 08:00"})
    await call("watch_inside", "watch_create", {"query": "x", "webhook": "http://127.0.0.1:9/"})
    await call("fetch_missing", "fetch", {"urls": [scenario["missing"], "nonsense"], "wait_seconds": 60})
    await call("fetch_none", "fetch", {"urls": []})
    await call("watch_run", "watch_run", {**watch, "wait_seconds": "60"})
    await call("watch_checks", "watch_checks", {**watch, "since": 0})
    await call("watch_since", "watch_checks", {**watch, "since": 1_000_000})
    await call("watch_paused", "watch_update", {**watch, "paused": "true"})
    await call("watch_rests", "watch_run", watch)
    await call("watch_update", "watch_update", {**watch, "paused": False})
    await call("watch_list", "watch_list", {})
    await call("watch_get", "watch_get", watch)
    await call("watch_delete", "watch_delete", watch)
    await call("watch_forgotten", "watch_get", watch)
    await call("map", "map", {"url": front, "limit": 2})
    await call("wrong", "search", {"query": "x", "colour": "red"})
    await call("unknown", "crawl_status", {"crawl_id": 4711})
    crawl = await call("crawl", "crawl", {
        "query": "telescope galaxy", "urls": [front], "max_pages": 400, "algorithm": "infospiders", "agents": "3",
    })
    one = {"crawl_id": crawl["crawl_id"]}
    await until("crawl_results", one, lambda answer: len(answer["results"]) >= 3)
    await call("crawl_status", "crawl_status", one)
    await call("crawls", "crawl_status", {})
    results = await call("crawl_results", "crawl_results", {**one, "max_results": 2})
    await call("agents", "agents", {})
    found = results["results"][0]["url"]
    await call("explain", "explain", {"url": found, "query": "telescope", **one})
    await call("feedback", "feedback", {**one, "url": found, "good": "true"})
    await call("exclude", "crawl_exclude", {**one, "add": ["nowhere.test", "*/print/*"]})
    await call("exclude_wrong", "crawl_exclude", {**one, "add": ["*/*"]})
    await call("include", "crawl_exclude", {**one, "remove": "nowhere.test"})
    spiders = [agent["name"] for agent in got["calls"]["agents"]["agents"] if agent["alive"]]
    await call("agent_feed", "agent_tend", {**one, "agent": spiders[0], "action": "feed"})
    await call("agent_nobody", "agent_tend", {**one, "agent": "Nobody", "action": "stop"})
    await call("crawl_pause", "crawl_pause", one)
    await until("crawl_status", one, lambda answer: answer["crawls"][0]["state"] == "paused")
    await call("crawl_resume", "crawl_resume", one)
    await call("crawl_stop", "crawl_stop", {"crawl_id": str(crawl["crawl_id"])})
    await until("crawl_status", one, lambda answer: answer["crawls"][0]["state"] == "finished")
    return got


async def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        scenario = json.load(file)
    if "command" in scenario:
        command, *arguments = scenario["command"]
        transport = stdio_client(StdioServerParameters(command=command, args=arguments))
        async with transport as (read, write), ClientSession(read, write) as session:
            got = await walk(session, scenario)
    else:
        headers = {"Authorization": f"Bearer {scenario['token']}"}
        async with create_mcp_http_client(headers=headers) as client:
            transport = streamable_http_client(scenario["url"], http_client=client)
            async with transport as streams, ClientSession(streams[0], streams[1]) as session:
                got = await walk(session, scenario)
    json.dump(got, sys.stdout)


asyncio.run(main())
