import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, linkSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { once } from "node:events";
import { expect, test } from "vitest";
import { AlreadyKept, claimSocket } from "./claim-socket.ts";
import { SessionForTest } from "./session-for-test.ts";

const program = new URL("./rival-for-test.ts", import.meta.url).pathname;

/** Processes that all reach for the same socket at the same moment, again and again. */
class Rivals implements Disposable {
  readonly #children: ChildProcess[];
  readonly #answers: AsyncIterator<string>[];

  constructor(count: number, variant: "claim" | "naive") {
    this.#children = Array.from({ length: count }, () =>
      spawn(process.execPath, [program, variant], { stdio: ["pipe", "pipe", "inherit"] }),
    );
    this.#answers = this.#children.map((child) => createInterface({ input: child.stdout! })[Symbol.asyncIterator]());
  }

  /** How many of them won. */
  async meet(path: string): Promise<number> {
    const at = String(process.hrtime.bigint() + 8_000_000n);
    for (const child of this.#children) child.stdin!.write(`${JSON.stringify({ path, at })}\n`);
    const answers = await Promise.all(this.#answers.map(async (answer) => (await answer.next()).value as unknown));
    return answers.filter((answer) => answer === "won").length;
  }

  [Symbol.dispose](): void {
    for (const child of this.#children) child.kill("SIGKILL");
  }
}

/** What a keeper leaves behind when it is killed: a socket at which nobody answers. */
async function leaveStale(path: string): Promise<void> {
  const server = createServer().listen(`${path}.dead`);
  await once(server, "listening");
  linkSync(`${path}.dead`, path);
  server.close();
  await once(server, "close");
}

async function meetings(variant: "claim" | "naive", rounds: number, stale: boolean): Promise<number[]> {
  using session = new SessionForTest();
  using rivals = new Rivals(8, variant);
  await rivals.meet(join(session.folder, "warm-up"));
  const winners: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const path = join(session.folder, `${round}.sock`);
    if (stale) await leaveStale(path);
    winners.push(await rivals.meet(path));
  }
  return winners;
}

test("of eight that find a stale socket at once exactly one takes it", { timeout: 60_000 }, async () => {
  const winners = await meetings("claim", 150, true);
  expect(new Set(winners)).toEqual(new Set([1]));
});

test("of eight that find no socket at once exactly one makes it", { timeout: 60_000 }, async () => {
  expect(new Set(await meetings("claim", 50, false))).toEqual(new Set([1]));
});

test(
  "control: done the obvious way, several win, so these meetings are close enough to tell",
  { timeout: 60_000 },
  async () => {
    expect(Math.max(...(await meetings("naive", 150, true)))).toBeGreaterThan(1);
  },
);

test("what is claimed is left with nothing but the socket, and a living one is not taken", async () => {
  using session = new SessionForTest();
  const path = join(session.folder, "keeper.sock");
  const server = await claimSocket(path);
  server.on("connection", (socket) => socket.end("hello"));
  await expect(claimSocket(path)).rejects.toThrow(AlreadyKept);
  expect(readdirSync(session.folder)).toEqual(["keeper.sock"]);
  server.close();
});

test("what has to be done first is done before anybody can reach us, and not at all for a living one", async () => {
  using session = new SessionForTest();
  const path = join(session.folder, "keeper.sock");
  await leaveStale(path);
  let prepared = 0;
  const prepare = async (): Promise<void> => {
    prepared++;
    await expect(once(connect(path), "connect")).rejects.toThrow("ECONNREFUSED");
  };
  const server = await claimSocket(path, prepare);
  server.on("connection", (socket) => socket.end("hello"));
  await expect(claimSocket(path, prepare)).rejects.toThrow(AlreadyKept);
  expect(prepared).toBe(1);
  server.close();
});

test("one that lets us in, but is gone before it says hello, is waited for and then replaced", async () => {
  using session = new SessionForTest();
  const path = join(session.folder, "keeper.sock");
  const dying = createServer().listen(`${path}.dying`);
  await once(dying, "listening");
  linkSync(`${path}.dying`, path);
  dying.once("connection", (socket) => {
    socket.destroy();
    dying.close();
  });
  const server = await claimSocket(path);
  server.close();
});
