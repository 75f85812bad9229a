# SPDX-License-Identifier: Apache-2.0
"""`inquest mcp`: JSON-RPC by hand, and the reference client from PyPI (`mcp`)
where it is installed."""
import asyncio
import importlib.util
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "memory"))
from made_trace import MIB, MadeTrace  # noqa: E402

INQUEST = os.environ["INQUEST"]
LOG = ("step 41 loss 2.5\n"
       "Traceback (most recent call last):\n"
       '  File "train.py", line 9, in <module>\n'
       "RuntimeError: CUDA error: an illegal memory access was encountered\n")
TOOLS = ["diagnose", "explain", "query", "facts"]


class McpTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="inquest-mcp-")
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)
        self.log = self.scratch / "train.log"
        self.log.write_text(LOG, encoding="utf-8")

    def trace(self):
        path = self.scratch / "one.trace.sqlite"
        trace = MadeTrace(path)
        trace.stack(1, ("/src/train.py", 3, "forward"))
        for number in range(50):
            trace.alloc((1 << 40) + number * 4 * MIB, 2 * MIB, stack=1)
        trace.alloc(0, 5000 * MIB, result=2, stack=1)
        trace.close()
        return str(path)

    def lines(self, *lines):
        """The answers to raw lines."""
        done = subprocess.run(
            [INQUEST, "mcp"], input=b"".join(
                line if isinstance(line, bytes) else line.encode() + b"\n"
                for line in lines), capture_output=True, timeout=120,
            check=False)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return [json.loads(line) for line in done.stdout.splitlines()]

    def ask(self, *requests):
        """The answers to (method, parameters), with their numbers checked."""
        answers = self.lines(*(json.dumps(
            {"jsonrpc": "2.0", "id": number, "method": method,
             "params": params})
            for number, (method, params) in enumerate(requests)))
        self.assertEqual([one["id"] for one in answers],
                         list(range(len(requests))))
        return answers

    def call(self, tool, **arguments):
        (answer,) = self.ask(("tools/call",
                              {"name": tool, "arguments": arguments}))
        return answer["result"]

    def test_the_handshake(self):
        for revision in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"):
            (answer,) = self.ask(("initialize", {"protocolVersion": revision}))
            self.assertEqual(answer["result"]["protocolVersion"], revision)
        (answer,) = self.ask(("initialize", {"protocolVersion": "1999-01-01"}))
        self.assertEqual(answer["result"]["protocolVersion"], "2025-11-25")
        self.assertEqual(answer["result"]["serverInfo"]["name"], "inquest")
        self.assertIn("never an instruction", answer["result"]["instructions"])
        (answer,) = self.ask(("ping", {}))
        self.assertEqual(answer["result"], {})

    def test_the_tools_only_read(self):
        (answer,) = self.ask(("tools/list", {}))
        tools = answer["result"]["tools"]
        self.assertEqual([one["name"] for one in tools], TOOLS)
        for one in tools:
            self.assertTrue(one["annotations"]["readOnlyHint"])
            self.assertEqual(one["inputSchema"]["type"], "object")
            self.assertIn("Call ", one["description"])

    def test_diagnose(self):
        answer = self.call("diagnose", paths=[str(self.log)])
        self.assertFalse(answer["isError"])
        text = answer["content"][0]["text"]
        self.assertTrue(text.startswith("kernel/illegal-access"), text)
        self.assertIn("train.log:4", text)
        data = answer["structuredContent"]
        self.assertEqual(data["schema"], "inquest.diagnosis/1")
        evidence = data["findings"][0]["evidence"][0]
        self.assertEqual((evidence["line"], evidence["text"]),
                         (4, LOG.splitlines()[3]))

    def test_explain(self):
        answer = self.call("explain", paths=[str(self.log)], finding="F1")
        self.assertIn("train.log:4", answer["content"][0]["text"])
        self.assertEqual(len(answer["structuredContent"]["explanations"]), 1)
        answer = self.call("explain", paths=[str(self.log)], finding="F99")
        self.assertTrue(answer["isError"])
        self.assertIn("no finding 'F99'", answer["content"][0]["text"])

    def test_query_and_facts(self):
        path = self.trace()
        answer = self.call("query", paths=[path],
                           sql="SELECT requested_bytes, evidence FROM oom")
        self.assertEqual(answer["structuredContent"]["rows"],
                         [{"requested_bytes": 5000 * MIB,
                           "evidence": "memory_event:51"}])
        answer = self.call("query", paths=[path], max_rows=3,
                           sql="SELECT id FROM memory_event")
        self.assertEqual(len(answer["structuredContent"]["rows"]), 3)
        self.assertIn("incomplete", answer["structuredContent"])
        for sql in ("DELETE FROM store_oom", "SELECT * FROM nothing",
                    "SELECT load_extension('x')", "ATTACH '/etc/passwd' AS x",
                    "", "SELECT 1; SELECT 2"):
            answer = self.call("query", paths=[path], sql=sql)
            self.assertTrue(answer["isError"], sql)
        answer = self.call("facts")
        names = [one["fact"] for one in answer["structuredContent"]["facts"]]
        self.assertIn("oom", names)
        answer = self.call("facts", fact="oom")
        columns = answer["structuredContent"]["facts"][0]["columns"]
        self.assertIn("requested_bytes", [one["name"] for one in columns])
        answer = self.call("facts", fact="oon")
        self.assertIn("did you mean 'oom'", answer["content"][0]["text"])

    def test_what_is_lost_is_said_with_the_rows(self):
        path = self.trace()
        with sqlite3.connect(path) as db:
            db.execute("INSERT INTO loss VALUES('memory_event', 40, 'full')")
        answer = self.call("query", paths=[path], sql="SELECT 1 AS one")
        self.assertTrue(answer["structuredContent"]["missing"])
        self.assertIn("missing", answer["content"][0]["text"])

    def test_a_file_that_changes_is_read_again(self):
        with subprocess.Popen([INQUEST, "mcp"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as server:
            def ask():
                server.stdin.write(json.dumps(
                    {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                     "params": {"name": "diagnose", "arguments": {
                         "paths": [str(self.log)]}}}) + "\n")
                server.stdin.flush()
                answer = json.loads(server.stdout.readline())
                return answer["result"]["structuredContent"]["verdict"]["cause"]

            self.assertEqual(ask(), "kernel/illegal-access")
            self.assertEqual(ask(), "kernel/illegal-access")
            self.log.write_text("step 1 loss 2.5\nTraining completed\n"
                                "No space left on device\n", encoding="utf-8")
            self.assertNotEqual(ask(), "kernel/illegal-access")
            server.stdin.close()
            self.assertEqual(server.wait(20), 0)

    def test_wrong_arguments(self):
        for tool, arguments, word in (
                ("diagnose", {}, "needs 'paths'"),
                ("diagnose", {"paths": []}, "needs 'paths'"),
                ("diagnose", {"paths": "x"}, "not of type array"),
                ("diagnose", {"paths": [1]}, "not of type array"),
                ("diagnose", {"path": ["x"]}, "did you mean 'paths'"),
                ("query", {"paths": ["x"]}, "needs 'sql'"),
                ("diagnose", {"paths": ["/nowhere/at/all"]}, "/nowhere/at/all"),
                ("diagnose", {"paths": ["-"]}, "'-'"),
                ("diagnose", {"paths": ["/dev/stdin"]}, "neither a file"),
                ("diagnose", {"paths": ["/dev/zero"]}, "neither a file")):
            with self.subTest(arguments):
                answer = self.call(tool, **arguments)
                self.assertTrue(answer["isError"])
                self.assertIn(word, answer["content"][0]["text"])
        (answer,) = self.ask(("tools/call", {"name": "diagnos"}))
        self.assertEqual(answer["error"]["code"], -32602)
        self.assertIn("did you mean 'diagnose'", answer["error"]["message"])
        (answer,) = self.ask(("tools/call", {"arguments": {}}))
        self.assertEqual(answer["error"]["code"], -32602)
        (answer,) = self.ask(("resources/list", {}))
        self.assertEqual(answer["error"]["code"], -32601)

    def test_what_is_no_request(self):
        ping = '{"jsonrpc":"2.0","id":"last","method":"ping"}'

        def codes(*lines):
            return [one.get("error", {}).get("code")
                    for one in self.lines(*lines, ping)]

        self.assertEqual(codes("garbage"), [-32700, None])
        self.assertEqual(codes(b"\xff\xfe{\n"), [-32700, None])
        self.assertEqual(codes('{"id":1'), [-32700, None])
        self.assertEqual(codes("[]", "1", "null"), [-32600] * 3 + [None])
        self.assertEqual(codes('{"id":1}', '{"id":[],"method":"ping"}'),
                         [-32600, -32600, None])
        self.assertEqual(codes('{"id":1,"method":7}'), [-32600, None])
        self.assertEqual(codes('{"id":1,"method":"ping","params":[1]}'),
                         [-32602, None])
        self.assertEqual(codes("[" * 100_000), [-32700, None])
        self.assertEqual(codes(b"x" * (5 << 20) + b"\n"), [-32600, None])
        self.assertEqual(codes(b"\r\n", "  "), [None])
        # Notifications and answers are not answered.
        self.assertEqual(codes(
            '{"jsonrpc":"2.0","method":"notifications/initialized"}',
            '{"method":"nothing"}', '{"id":4,"result":{}}'), [None])

    def test_the_end_of_input_in_a_line(self):
        self.assertEqual(self.lines(b'{"id":1,"method":"pi'), [])

    def test_random_damage(self):
        chance = random.Random(11)
        whole = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                            "params": {"name": "facts", "arguments": {}}})
        lines = []
        for _ in range(300):
            line = bytearray(whole.encode())
            for _ in range(chance.randrange(1, 4)):
                line[chance.randrange(len(line))] = chance.randrange(32, 256)
            lines.append(bytes(line) + b"\n")
        answers = self.lines(*lines,
                             '{"jsonrpc":"2.0","id":"end","method":"ping"}')
        self.assertEqual(answers[-1]["id"], "end")

    @unittest.skipIf(importlib.util.find_spec("mcp") is None,
                     "no reference client (pip install mcp)")
    def test_the_reference_client(self):
        from mcp import ClientSession, StdioServerParameters
        from mcp.client.stdio import stdio_client
        path = self.trace()

        async def talk():
            server = StdioServerParameters(command=INQUEST, args=["mcp"])
            async with stdio_client(server) as (read, write):
                async with ClientSession(read, write) as session:
                    await session.initialize()
                    tools = await session.list_tools()
                    answers = [
                        await session.call_tool("diagnose",
                                                {"paths": [str(self.log)]}),
                        await session.call_tool("facts", {"fact": "oom"}),
                        await session.call_tool(
                            "query", {"paths": [path],
                                      "sql": "SELECT count(*) AS n FROM oom"})]
                    return [one.name for one in tools.tools], answers

        names, answers = asyncio.run(talk())
        self.assertEqual(names, TOOLS)
        self.assertIn("kernel/illegal-access", answers[0].content[0].text)
        self.assertIn("requested_bytes", answers[1].content[0].text)
        self.assertIn('{"n":1}', answers[2].content[0].text)


if __name__ == "__main__":
    unittest.main()
