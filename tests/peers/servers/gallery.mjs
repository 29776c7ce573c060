// One of everything a server can show, on npm `@modelcontextprotocol/server` 2.x.

import { createRequire } from "node:module";

const require = createRequire(`${process.env.PEERS_NODE}/`);
const { McpServer, ResourceTemplate, inputRequired } = require("@modelcontextprotocol/server");
const { serveStdio } = require("@modelcontextprotocol/server/stdio");
const { z } = require("zod");

const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const one = (content) => async () => ({ content: [content] });

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
      const progressToken = context.mcpReq._meta?.progressToken;
      for (let progress = 1; progress <= n && progressToken !== undefined; progress++) {
        await context.mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress, total: n },
        });
      }
      return { content: [{ type: "text", text: `${n} steps` }] };
    },
  );
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

serveStdio(gallery);
