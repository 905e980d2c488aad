// The protocol's own client, by its makers: it checks each message against its schemas. It starts a program through the tools,
// reads it in steps, types into it and stops it; what it saw goes to standard output, a JSON object a line.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [counsel] = process.argv.slice(2);
const tell = (what) => console.log(JSON.stringify(what));
const client = new Client({ name: "sdk", version: "1" });
await client.connect(new StdioClientTransport({ command: counsel, args: ["mcp"], env: process.env }));
tell({ server: client.getServerVersion().name });

const { tools } = await client.listTools();
tell({ tools: tools.map((tool) => tool.name), described: tools.every((tool) => tool.outputSchema && tool.annotations) });

// The client refuses what does not match the schema that the server gave.
const call = async (name, args, options) => {
  const result = await client.callTool({ name, arguments: args }, undefined, options);
  if (result.isError) throw new Error(result.content[0].text);
  return result.structuredContent;
};

await call("pty_start", { name: "server", command: ["sh", "-c", "echo listening; read word; echo got $word; cat"] });
let cursor = 0;
let text = "";
const until = async (words) => {
  while (!text.includes(words)) {
    const read = await call("pty_read", { name: "server", since: cursor, wait_ms: 20000 });
    if (read.cursor === cursor) throw new Error(`no ${words}: ${text}`);
    ({ cursor } = read);
    text += read.text;
  }
};
await until("listening");
await call("pty_send", { name: "server", text: "hello", enter: true });
await until("got hello");
tell({ read: text.includes("got hello") });

let progress = 0;
const done = await call(
  "pty_exec",
  { command: ["sh", "-c", "sleep 3; echo over; exit 3"] },
  { onprogress: () => progress++, resetTimeoutOnProgress: true },
);
tell({ code: done.exit_code, text: done.text, progressed: progress > 0 });

const refused = await client.callTool({ name: "pty_read", arguments: { name: "nobody" } });
tell({ refused: refused.isError, why: refused.content[0].text });

await call("pty_stop", { name: "server" });
tell({ left: (await call("pty_list", {})).agents.length });
await client.close();
