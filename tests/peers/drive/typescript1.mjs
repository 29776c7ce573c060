// Drives the client of npm `@modelcontextprotocol/sdk` 1.x; it knows the legacy revisions only.

import { Mailbox, pages, require, run } from "./line.mjs";

const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");
const { ResourceUpdatedNotificationSchema } = require("@modelcontextprotocol/sdk/types.js");

const options = { timeout: 10_000 };

class Session {
  async open({ command, url }) {
    this.updates = new Mailbox();
    this.client = new Client({ name: "umcp-peers", version: "1.0.0" }, {});
    this.client.setNotificationHandler(ResourceUpdatedNotificationSchema, (message) =>
      this.updates.put(message.params.uri),
    );
    this.transport = url && new StreamableHTTPClientTransport(new URL(url));
    const transport = this.transport ?? new StdioClientTransport({ command: command[0], args: command.slice(1) });
    // Only a transport is told the revision: listen in.
    const told = transport.setProtocolVersion?.bind(transport);
    transport.setProtocolVersion = (version) => {
      this.protocol = version;
      told?.(version);
    };
    await this.client.connect(transport, options);
    return { protocol: this.protocol, server: this.client.getServerVersion() };
  }

  async close() {
    // Closing says nothing to the server: a session has to be ended first.
    await this.transport?.terminateSession();
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

  async cancel({ name, arguments: values }) {
    const giveUp = new AbortController();
    setTimeout(() => giveUp.abort("enough"), 200);
    const params = { name, arguments: values };
    try {
      return { answered: await this.client.callTool(params, undefined, { ...options, signal: giveUp.signal }) };
    } catch (failure) {
      if (!giveUp.signal.aborted) throw failure;
      return { cancelled: true };
    }
  }

  async complete({ prompt, argument, value }) {
    const params = { ref: { type: "ref/prompt", name: prompt }, argument: { name: argument, value } };
    return (await this.client.complete(params, options)).completion.values;
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
