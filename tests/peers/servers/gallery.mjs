// One of everything a server can show, on npm `@modelcontextprotocol/server` 2.x, or on `@modelcontextprotocol/sdk` 1.x.
//
//     gallery.mjs [2 | 1 [events | json]]
//
// Over stdio, or at a free port of this machine: replies as streams of events, or as JSON.
// With GALLERY_TOOLS in the environment there are so many tools more, each of about 1 KB, and a picture of a megabyte.

import { createServer } from "node:http";
import { createRequire } from "node:module";
import { Readable } from "node:stream";

const require = createRequire(`${process.env.PEERS_NODE}/`);
const [version = "2", form] = process.argv.slice(2);
const library =
  version === "1" ? require("@modelcontextprotocol/sdk/server/mcp.js") : require("@modelcontextprotocol/server");
const { McpServer, ResourceTemplate, inputRequired } = library;
const { z } = require("zod");

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const one = (content) => async () => ({ content: [content] });

/** Only 2.x can ask where the client keeps no connection. */
function registerAsk(server) {
  server.registerTool("ask", { description: "Asks the user first." }, async (context) => {
    const answer = context.mcpReq.inputResponses?.who;
    if (answer === undefined) {
      const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
      return inputRequired({
        inputRequests: { who: inputRequired.elicit({ message: "What is your name?", requestedSchema }) },
      });
    }
    return { content: [{ type: "text", text: `The user did: ${answer.action}` }] };
  });
}

/** What is larger than small clients. */
function registerMore(server, count) {
  const bytes = Buffer.from(Array.from({ length: 750_000 }, (_, at) => at * 7 + Math.floor(at / 256)));
  server.registerTool(
    "poster",
    { description: "A picture of a megabyte." },
    one({ type: "image", data: bytes.toString("base64"), mimeType: "image/png" }),
  );
  const inputSchema = z.object({ level: z.number() });
  for (let number = 0; number < count; number++) {
    server.registerTool(
      `tool-${String(number).padStart(6, "0")}`,
      { description: "One of very many. ".repeat(40), inputSchema },
      async ({ level }) => ({ content: [{ type: "text", text: `${level}` }] }),
    );
  }
}

function gallery() {
  const server = new McpServer({ name: "gallery", version: "1.0.0" });

  server.registerTool(
    "echo",
    { description: "Says the same text again.", inputSchema: z.object({ text: z.string() }) },
    async ({ text }) => ({ content: [{ type: "text", text }] }),
  );
  server.registerTool(
    "picture",
    { description: "One red pixel." },
    one({ type: "image", data: PIXEL, mimeType: "image/png" }),
  );
  server.registerTool(
    "sound",
    { description: "No sound at all." },
    one({ type: "audio", data: SILENCE, mimeType: "audio/wav" }),
  );
  server.registerTool(
    "attachment",
    { description: "A note that comes along with the answer." },
    one({ type: "resource", resource: { uri: "gallery://note", mimeType: "text/plain", text: "attached" } }),
  );
  server.registerTool(
    "link",
    { description: "Where the note is." },
    one({ type: "resource_link", name: "note", uri: "gallery://note" }),
  );
  server.registerTool("broken", { description: "Always fails." }, async () => {
    throw new Error("out of order");
  });
  server.registerTool(
    "measure",
    {
      description: "A typed result.",
      outputSchema: z.object({ celsius: z.number(), humidity: z.number() }),
    },
    async () => {
      const structuredContent = { celsius: 21.5, humidity: 40 };
      return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
    },
  );
  server.registerTool(
    "steps",
    { description: "Counts to n and says so on the way.", inputSchema: z.object({ n: z.number().int() }) },
    async ({ n }, context) => {
      const call = context.mcpReq ?? { _meta: context._meta, notify: context.sendNotification };
      const progressToken = call._meta?.progressToken;
      for (let progress = 1; progress <= n && progressToken !== undefined; progress++) {
        await call.notify({
          method: "notifications/progress",
          params: { progressToken, progress, total: n },
        });
      }
      return { content: [{ type: "text", text: `${n} steps` }] };
    },
  );
  if (inputRequired) registerAsk(server);
  const more = Number(process.env.GALLERY_TOOLS ?? 0);
  if (more) registerMore(server, more);

  server.registerResource("note", "gallery://note", { mimeType: "text/plain" }, async (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: "a note: héllo 世界" }],
  }));
  server.registerResource("pixel", "gallery://pixel", { mimeType: "application/octet-stream" }, async (uri) => ({
    contents: [
      {
        uri: uri.href,
        mimeType: "application/octet-stream",
        blob: Buffer.from(Array.from({ length: 256 }, (_, index) => index)).toString("base64"),
      },
    ],
  }));
  server.registerResource(
    "page",
    new ResourceTemplate("gallery://page/{n}", { list: undefined }),
    {},
    async (uri, { n }) => ({ contents: [{ uri: uri.href, mimeType: "text/plain", text: `page ${n}` }] }),
  );
  server.registerPrompt(
    "greet",
    { description: "A friendly word.", argsSchema: z.object({ name: z.string() }) },
    ({ name }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Say hello to ${name}.` } }],
    }),
  );
  return server;
}

/** Serves HTTP by a function from a request to a response, both those of the Fetch API. */
function serveHttp(answer) {
  const server = createServer(async (request, reply) => {
    const url = `http://${request.headers.host}${request.url}`;
    const body = request.method === "POST" ? Readable.toWeb(request) : undefined;
    const gone = new AbortController();
    reply.on("close", () => gone.abort());
    const { method, headers } = request;
    const response = await answer(new Request(url, { method, headers, body, duplex: "half", signal: gone.signal }));
    reply.writeHead(response.status, Object.fromEntries(response.headers));
    reply.flushHeaders();
    if (response.body === null) return reply.end();
    Readable.fromWeb(response.body).on("error", () => reply.destroy()).pipe(reply);
  });
  server.listen(0, "127.0.0.1", () => console.error(`listening on http://127.0.0.1:${server.address().port}/mcp`));
}

/** The 1.x way: a transport, and a server behind it, for each session. */
function sessions() {
  const { WebStandardStreamableHTTPServerTransport } = require(
    "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js",
  );
  const open = new Map();
  return async (request) => {
    const known = open.get(request.headers.get("mcp-session-id"));
    if (known) return known.handleRequest(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      enableJsonResponse: form === "json",
      onsessioninitialized: (id) => open.set(id, transport),
      onsessionclosed: (id) => open.delete(id),
    });
    await gallery().connect(transport);
    return transport.handleRequest(request);
  };
}

if (form === undefined) {
  require("@modelcontextprotocol/server/stdio").serveStdio(gallery);
} else if (version === "1") {
  serveHttp(sessions());
} else {
  // Without streams it would drop what is notified on the way, so "json" leaves it the choice.
  const responseMode = form === "json" ? "auto" : "sse";
  serveHttp(library.createMcpHandler(gallery, { responseMode }).fetch);
}
