// What the two TypeScript drivers share; line.py beside this file has the protocol of operations.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

/** Packages live in the scratch folder, not beside these files: `require` finds them there. */
export const require = createRequire(`${process.env.PEERS_NODE}/`);

/** Every item of a paged list; `fetch(params)` is one page. */
export async function pages(fetch, key) {
  const items = [];
  let cursor;
  do {
    const page = await fetch(cursor === undefined ? {} : { cursor });
    items.push(...page[key]);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}

/** Notifications in the order they came, for whoever waits for the next. */
export class Mailbox {
  letters = [];
  waiting = [];

  put(letter) {
    this.letters.push(letter);
    this.waiting.shift()?.();
  }

  async take(milliseconds) {
    if (this.letters.length === 0) {
      await new Promise((done, failed) => {
        this.waiting.push(done);
        setTimeout(failed, milliseconds, new Error(`no update within ${milliseconds} ms`)).unref();
      });
    }
    return this.letters.shift();
  }
}

async function answer(session, request) {
  const { op, ...rest } = request;
  try {
    return { ok: (await session[op](rest)) ?? null };
  } catch (failure) {
    const { code, message } = failure;
    return typeof code === "number" ? { error: { code, message } } : { fault: `${failure}` };
  }
}

/** Serve operations until stdin ends. */
export async function run(session) {
  for await (const line of createInterface({ input: process.stdin })) {
    const reply = await answer(session, JSON.parse(line));
    process.stdout.write(`${JSON.stringify(reply)}\n`);
  }
  process.exit(0);
}
