// Drives the client of npm `@modelcontextprotocol/client` 2.x.

import { Mailbox, pages, require, run } from "./line.mjs";

const { Client, StreamableHTTPClientTransport } = require("@modelcontextprotocol/client");
const { StdioClientTransport } = require("@modelcontextprotocol/client/stdio");

const options = { timeout: 10_000 };

class Session {
  async open({ mode, command, url }) {
    const negotiation = mode.startsWith("20") ? { pin: mode } : mode;
    this.updates = new Mailbox();
    this.client = new Client(
      { name: "umcp-peers", version: "1.0.0" },
      { versionNegotiation: { mode: negotiation } },
    );
    this.client.setNotificationHandler("notifications/resources/updated", (message) =>
      this.updates.put(message.params.uri),
    );
    this.transport = url && new StreamableHTTPClientTransport(new URL(url));
    const transport = this.transport ?? new StdioClientTransport({ command: command[0], args: command.slice(1) });
    await this.client.connect(transport, options);
    return { protocol: this.client.getNegotiatedProtocolVersion(), server: this.client.getServerVersion() };
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
    const result = await this.client.callTool({ name, arguments: values }, { ...options, onprogress });
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
      return { answered: await this.client.callTool(params, { ...options, signal: giveUp.signal }) };
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
    if (this.client.getNegotiatedProtocolVersion() < "2026") {
      await this.client.subscribeResource({ uri }, options);
    } else {
      await this.client.listen({ resourceSubscriptions: [uri] }, options);
    }
  }

  updated() {
    return this.updates.take(5_000);
  }
}

await run(new Session());
