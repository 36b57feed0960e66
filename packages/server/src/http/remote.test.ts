import { spawn } from "node:child_process";
import { join } from "node:path";
import { type Fairlead, type Route, routes } from "@fairlead/api";
import { browserWire, RemoteFairlead, type Wire } from "@fairlead/client";
import { nodeWire } from "@fairlead/client/node";
import { type ErrorCode, type Event, FairleadError } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { describe, expect, test } from "vitest";
import { Ground as LocalGround } from "../local/ground-for-test.ts";
import { bindings, type CallName } from "./bindings.ts";
import { Ground as WireGround } from "./ground-for-test.ts";
import { type Service, serve } from "./serve.ts";
import { Tokens } from "./tokens.ts";

const hello = withScript("Say.", [{ text: "Hello." }]);
const patience = { timeout: 20_000 };
const withCode = (code: ErrorCode) => (error: unknown) => FairleadError.is(error, code);

/** A service with real sessions, at a socket and a port; and the way to it. */
class Ground implements AsyncDisposable {
  readonly local = new LocalGround();
  readonly socket = join(this.local.folder, "run", "f.sock");
  readonly tokens = new Tokens(join(this.local.folder, "tokens.json"));
  #service: Service | undefined;
  #close = async (): Promise<void> => {};

  async open(): Promise<Service> {
    const fairlead = await this.local.open();
    this.#service = await serve({ fairlead, tokens: this.tokens, socket: this.socket, port: 0 });
    this.#close = () => this.local.close(fairlead);
    return this.#service;
  }

  remote(patience?: number): RemoteFairlead {
    return new RemoteFairlead(nodeWire({ socket: this.socket }), patience === undefined ? {} : { patience });
  }

  async close(): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]();
    await this.#close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]();
    await this.local[Symbol.asyncDispose]();
  }
}

async function until(fairlead: Fairlead, session: string, type: Event["body"]["type"], after = 0): Promise<Event[]> {
  const events: Event[] = [];
  for await (const one of fairlead.events(session, { follow: true, after })) {
    if (!("body" in one)) continue;
    events.push(one);
    if (one.body.type === type) break;
  }
  return events;
}

describe("Fairlead over a wire", () => {
  test("is the same as here: every call, every reply by its schema, every error by its code", async () => {
    await using ground = new Ground();
    await ground.open();
    const remote = ground.remote();
    const { session } = await remote.start({ workspace: ground.local.folder, name: "far", prompt: hello });
    const events = await until(remote, "far", "turn.ended");
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
    expect((await Array.fromAsync(remote.events(session))).slice(0, events.length)).toEqual(events);

    const wire = nodeWire({ socket: ground.socket });
    const looking = Object.keys(bindings).filter((name) => routes[name as CallName].method === "GET");
    for (const name of looking) {
      const route: Route = routes[name as CallName];
      const response = await wire.fetch(route.path.replace(":session", session), { method: "GET", headers: {} });
      if (response.status === 422) continue; // not every session can be looked at in every way
      expect(route.reply!.safeParse(await response.json()), name).toMatchObject({ success: true });
    }

    await expect(remote.session("nobody")).rejects.toSatisfy(withCode("session-not-found"));
    await expect(remote.session("../health")).rejects.toSatisfy(withCode("session-not-found"));
    await expect(until(remote, "nobody", "turn.ended")).rejects.toSatisfy(withCode("session-not-found"));
    await expect(remote.start({ workspace: "/", agent: "no-such" })).rejects.toSatisfy(withCode("unknown-agent"));
    const { turn } = await remote.send(session, hello, { key: "one" });
    expect(await remote.send(session, hello, { key: "one" })).toEqual({ turn });
    await expect(remote.send(session, "else", { key: "one" })).rejects.toSatisfy(withCode("conflict"));
    await expect(remote.forget(session)).rejects.toSatisfy(withCode("conflict"));
    expect(await remote.stop(session)).toMatchObject({ session, state: "ended" });
    await expect(remote.steer(session, "now")).rejects.toSatisfy(withCode("session-ended"));
    await remote.forget(session);
    await expect(remote.session(session)).rejects.toSatisfy(withCode("session-not-found"));
  });

  test("can do with a browser's means and a token what the token is good for", async () => {
    await using ground = new Ground();
    const { url } = await ground.open();
    const driver = ground.tokens.issue({ label: "driver", scopes: ["read", "drive"] });
    const remote = new RemoteFairlead(browserWire(url!, driver));
    const ask = withScript("Ask.", [{ tools: [{ name: "run", input: { command: "true" } }] }]);
    const { session } = await remote.start({ workspace: ground.local.folder, prompt: ask });
    await until(remote, session, "decision.requested");
    const [open] = await remote.decisions();
    const allow = { type: "allow" } as const;
    await expect(remote.answer(session, open!.decision, allow)).rejects.toSatisfy(withCode("not-allowed"));
    expect(await remote.decisions()).toHaveLength(1);
    await ground.remote().answer(session, open!.decision, allow);
    await until(remote, session, "turn.ended");
  });

  test("lets text on its way through to those who want it", async () => {
    await using ground = new Ground();
    await ground.open();
    const remote = ground.remote();
    const { session } = await remote.start({ workspace: ground.local.folder });
    let text = "";
    await remote.send(session, withScript("Count.", [{ text: "one two three four", chunks: 4, chunkDelay: 50 }]));
    for await (const one of remote.events(session, { follow: true, deltas: true })) {
      if ("text" in one) text += one.text;
      else if ("body" in one && one.body.type === "text.ended") break;
    }
    expect("one two three four".endsWith(text) && text !== "").toBe(true);
  });

  test("goes on with a stream when the service is restarted, without gap or double", async () => {
    await using ground = new Ground();
    await ground.open();
    const remote = ground.remote();
    const { session } = await remote.start({ workspace: ground.local.folder, prompt: hello });
    const seen: Event[] = [];
    const following = (async () => {
      for await (const one of remote.events(session, { follow: true })) if ("body" in one) seen.push(one);
    })();
    await expect.poll(() => seen.at(-1)?.body.type, patience).toBe("turn.ended");
    for (const turns of [2, 3]) {
      await ground.close();
      await ground.open();
      await remote.send(session, hello);
      await expect.poll(() => seen.filter(({ body }) => body.type === "turn.ended").length, patience).toBe(turns);
    }
    await remote.stop(session);
    await following;
    expect(seen).toEqual(await Array.fromAsync(remote.events(session)));
    expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, index) => index + 1));
  });

  test("says a command again under the same key when the answer was lost; it is done once", async () => {
    await using ground = new Ground();
    await ground.open();
    const wire = nodeWire({ socket: ground.socket });
    let lose = 2;
    const lossy: Wire = {
      ...wire,
      fetch: async (path, request) => {
        const response = await wire.fetch(path, request);
        if (request.method === "GET" || lose-- <= 0) return response;
        return await nodeWire({ socket: "nowhere.sock" }).fetch(path, request); // breaks, as a connection does
      },
    };
    const remote = new RemoteFairlead(lossy);
    const { session } = await remote.start({ workspace: ground.local.folder });
    expect(await remote.sessions()).toHaveLength(1);
    lose = 2;
    await remote.send(session, hello);
    await remote.stop(session);
    const events = (await Array.fromAsync(remote.events(session))) as Event[];
    expect(events.filter(({ body }) => body.type === "turn.started")).toHaveLength(1);
  });
});

describe("a client", () => {
  test("does not pass over a gap", async () => {
    const wire: Wire = {
      fetch: () => Promise.reject(new Error("not asked")),
      open: async function* () {
        for (const sequence of [1, 2, 4]) {
          yield JSON.stringify({ event: { sequence, session: "s", body: { type: "text.ended" } } });
        }
      },
    };
    const following = Array.fromAsync(new RemoteFairlead(wire).events("s", { follow: true }));
    await expect(following).rejects.toSatisfy(withCode("corrupt"));
  });

  test("gives up on a service that is not there when its patience ends, and at once on one that refuses", async () => {
    await using ground = await WireGround.open();
    const nobody = new RemoteFairlead(nodeWire({ socket: ground.socket }), { patience: 200 });
    await expect(nobody.health()).rejects.toSatisfy(withCode("unavailable"));
    await expect(until(nobody, "s", "turn.ended")).rejects.toSatisfy(withCode("unavailable"));
    const { url } = await ground.serve({ port: 0 });
    const stranger = new RemoteFairlead(nodeWire({ url: url!, token: "wrong" }), { patience: 1e9 });
    await expect(stranger.health()).rejects.toSatisfy(withCode("not-allowed"));
    await expect(until(stranger, "s", "turn.ended")).rejects.toSatisfy(withCode("not-allowed"));
  });

  test("that falls behind holds the service back, is let go of, and comes back for the rest", async () => {
    await using ground = await WireGround.open();
    await ground.serve({ socket: ground.socket, limits: { stall: 500 } });
    await ground.write(20_000, 1000);
    await ground.end();
    const remote = new RemoteFairlead(nodeWire({ socket: ground.socket }));
    const events = remote.events(ground.session, { follow: true })[Symbol.asyncIterator]();
    await events.next();
    await expect.poll(() => ground.readers, patience).toBe(0);
    expect(ground.read).toBeLessThan(15_000);
    let last = 1;
    for await (const one of { [Symbol.asyncIterator]: () => events }) last = (one as Event).sequence;
    expect(last).toBe(20_001);
  });

  test("that stops following leaves nobody reading, and its process may end", async () => {
    await using ground = await WireGround.open();
    await ground.serve({ socket: ground.socket });
    await ground.write(5000, 1000);
    const program = `
      import { RemoteFairlead } from "@fairlead/client";
      import { nodeWire } from "@fairlead/client/node";
      const remote = new RemoteFairlead(nodeWire({ socket: process.argv[1] }));
      for await (const one of remote.events("ground", { follow: true })) if (one.sequence === 3) break;
    `;
    const cwd = import.meta.dirname;
    const child = spawn(process.execPath, ["--input-type=module", "-e", program, ground.socket], {
      cwd,
      stdio: "inherit",
    });
    const code = await new Promise((resolve) => child.once("exit", resolve));
    expect(code).toBe(0);
    await expect.poll(() => ground.readers, patience).toBe(0);
  });
});
