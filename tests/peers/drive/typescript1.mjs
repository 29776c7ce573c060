// Drives the client of npm `@modelcontextprotocol/sdk` 1.x; it knows the legacy revisions only.

import { Mailbox, pages, require, run } from "./line.mjs";

const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { ResourceUpdatedNotificationSchema } = require("@modelcontextprotocol/sdk/types.js");

const options = { timeout: 10_000 };

class Session {
  async open({ command }) {
    const [first, ...args] = command;
    this.updates = new Mailbox();
    this.client = new Client({ name: "umcp-peers", version: "1.0.0" }, {});
    this.client.setNotificationHandler(ResourceUpdatedNotificationSchema, (message) =>
      this.updates.put(message.params.uri),
    );
    const transport = new StdioClientTransport({ command: first, args });
    // Only a transport is told the revision: stdio has no use for it, so listen in.
    transport.setProtocolVersion = (version) => (this.protocol = version);
    await this.client.connect(transport, options);
    return { protocol: this.protocol, server: this.client.getServerVersion() };
  }

  async close() {
    await this.client.close();
  }

  tools() {
    return pages((page) => this.client.listTools(page, options), "tools");
  }

  resources() {
    return pages((page) => this.client.listResources(page, options), "resources");
  }

  templates() {
    return pages((page) => this.client.listResourceTemplates(page, options), "resourceTemplates");
  }

  prompts() {
    return pages((page) => this.client.listPrompts(page, options), "prompts");
  }

  async call({ name, arguments: values, progress }) {
    const seen = [];
    const onprogress = progress ? (note) => seen.push(note.progress) : undefined;
    const params = { name, arguments: values };
    const result = await this.client.callTool(params, undefined, { ...options, onprogress });
    return progress ? { ...result, progress: seen } : result;
  }

  read({ uri }) {
    return this.client.readResource({ uri }, options);
  }

  prompt({ name, arguments: values }) {
    return this.client.getPrompt({ name, arguments: values }, options);
  }

  ping() {
    return this.client.ping(options);
  }

  async watch({ uri }) {
    await this.client.subscribeResource({ uri }, options);
  }

  updated() {
    return this.updates.take(5_000);
  }
}

await run(new Session());
