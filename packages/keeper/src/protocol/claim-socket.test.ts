import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, linkSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { once } from "node:events";
import { expect, test } from "vitest";
import { KeeperAlreadyRunning, claimSocket } from "./claim-socket.ts";
import { TestSessionFolder } from "@fairlead/testing/keeper/test-session-folder.ts";

const claimantProgram = new URL("../../../testing/src/keeper/competing-claimant.ts", import.meta.url).pathname;

/** Processes that claim the same socket at the same moment, in many rounds. */
class CompetingClaimants implements Disposable {
  readonly #children: ChildProcess[];
  readonly #replies: AsyncIterator<string>[];

  constructor(count: number, variant: "claim" | "naive") {
    this.#children = Array.from({ length: count }, () =>
      spawn(process.execPath, [claimantProgram, variant], { stdio: ["pipe", "pipe", "inherit"] }),
    );
    this.#replies = this.#children.map((child) => createInterface({ input: child.stdout! })[Symbol.asyncIterator]());
  }

  /** Lets all processes claim a path and returns how many have won. */
  async claimAll(path: string): Promise<number> {
    const at = String(process.hrtime.bigint() + 8_000_000n);
    for (const child of this.#children) child.stdin!.write(`${JSON.stringify({ path, at })}\n`);
    const replies = await Promise.all(this.#replies.map(async (reply) => (await reply.next()).value as unknown));
    return replies.filter((reply) => reply === "won").length;
  }

  [Symbol.dispose](): void {
    for (const child of this.#children) child.kill("SIGKILL");
  }
}

/** Creates what a killed keeper leaves behind: a socket without a listener. */
async function createStaleSocket(path: string): Promise<void> {
  const server = createServer().listen(`${path}.dead`);
  await once(server, "listening");
  linkSync(`${path}.dead`, path);
  server.close();
  await once(server, "close");
}

async function runClaimRounds(variant: "claim" | "naive", rounds: number, stale: boolean): Promise<number[]> {
  using session = new TestSessionFolder();
  using claimants = new CompetingClaimants(8, variant);
  await claimants.claimAll(join(session.folder, "warm-up"));
  const winners: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const path = join(session.folder, `${round}.sock`);
    if (stale) await createStaleSocket(path);
    winners.push(await claimants.claimAll(path));
  }
  return winners;
}

test("exactly one of eight processes claims a stale socket", { timeout: 60_000 }, async () => {
  const winners = await runClaimRounds("claim", 150, true);
  expect(new Set(winners)).toEqual(new Set([1]));
});

test("exactly one of eight processes claims a free path", { timeout: 60_000 }, async () => {
  expect(new Set(await runClaimRounds("claim", 50, false))).toEqual(new Set([1]));
});

test(
  "control: with the naive implementation several win, so the processes do collide",
  { timeout: 60_000 },
  async () => {
    expect(Math.max(...(await runClaimRounds("naive", 150, true)))).toBeGreaterThan(1);
  },
);

test("a claim leaves only the socket in the folder, and a living socket is not replaced", async () => {
  using session = new TestSessionFolder();
  const path = join(session.folder, "keeper.sock");
  const server = await claimSocket(path);
  server.on("connection", (socket) => socket.end("hello"));
  await expect(claimSocket(path)).rejects.toThrow(KeeperAlreadyRunning);
  expect(readdirSync(session.folder)).toEqual(["keeper.sock"]);
  server.close();
});

test("prepare runs before clients can connect, and not at all if a keeper is alive", async () => {
  using session = new TestSessionFolder();
  const path = join(session.folder, "keeper.sock");
  await createStaleSocket(path);
  let prepareCalls = 0;
  const prepare = async (): Promise<void> => {
    prepareCalls++;
    await expect(once(connect(path), "connect")).rejects.toThrow("ECONNREFUSED");
  };
  const server = await claimSocket(path, prepare);
  server.on("connection", (socket) => socket.end("hello"));
  await expect(claimSocket(path, prepare)).rejects.toThrow(KeeperAlreadyRunning);
  expect(prepareCalls).toBe(1);
  server.close();
});

test("a socket that closes the connection before its hello is probed again and then replaced", async () => {
  using session = new TestSessionFolder();
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
