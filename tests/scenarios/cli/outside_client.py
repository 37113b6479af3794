"""A client of the Model Context Protocol that somebody else wrote, on one server.

Takes the era, a command line, and from standard input one use a line as
[tool, arguments]; writes what came of each.
"""

import asyncio
import json
import sys

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters


async def main() -> None:
    mode, command, *arguments = sys.argv[1:]
    server = StdioServerParameters(command=command, args=arguments, env=json.load(open(".environment")))
    async with Client(server, mode=mode) as client:
        listed = await client.list_tools()
        tools = {tool.name: tool.input_schema for tool in listed.tools}
        print(json.dumps({"era": client.protocol_version, "tools": tools}), flush=True)
        for line in sys.stdin:
            tool, arguments = json.loads(line)
            try:
                came = await client.call_tool(tool, arguments)
                words = "".join(getattr(part, "text", "") for part in came.content)
                told = {"failed": bool(came.is_error), "text": words, "value": came.structured_content}
            except Exception as error:
                told = {"refused": str(error)}
            print(json.dumps(told), flush=True)


asyncio.run(main())
