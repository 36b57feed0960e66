import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FairleadError } from "@fairlead/contract";
import { openLocalEngine, type Engine, type HostInfo, type Membership } from "@fairlead/engine";
import { Home, projectionVersion } from "@fairlead/runtime";
import { expect, test } from "vitest";
import { runHost } from "./run-host.ts";

async function openEngineIn(folder: string): Promise<Engine> {
  return await openLocalEngine({
    journalFile: join(folder, "journal.db"),
    indexFile: join(folder, "index.db"),
    indexContentVersion: projectionVersion,
    tokensFile: join(folder, "tokens.json"),
    objectsFolder: join(folder, "objects"),
  });
}

test("a host that expires while it opens, and while the servers fail, joins again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "host-"));
  const engine = await openEngineIn(folder);
  const joins: number[] = [];
  const joinedAgain = Promise.withResolvers<void>();
  const joinHost = async (host: HostInfo): Promise<Membership> => {
    const count = joins.push(Date.now());
    if (count === 2) throw new FairleadError("unavailable", "The servers elect a leader.");
    const membership = await engine.hosts.join(host);
    if (count === 3) joinedAgain.resolve();
    if (count > 1) return membership;
    const lost = new AbortController();
    queueMicrotask(() => lost.abort());
    return { ...membership, lost: lost.signal };
  };
  const hosts: Engine["hosts"] = {
    join: joinHost,
    isAlive: (owner) => engine.hosts.isAlive(owner),
    isElsewhere: (owner) => engine.hosts.isElsewhere(owner),
    poolOf: () => undefined,
    watch: (signal) => engine.hosts.watch(signal),
  };
  const environment = { ...process.env, FAIRLEAD_HOME: join(folder, "h") };
  let readyCount = 0;
  const running = runHost({
    context: { home: new Home(join(folder, "h")), environment },
    openEngine: async () => ({ ...engine, hosts, [Symbol.asyncDispose]: async () => {} }),
    pool: "default",
    max: 1,
    loginFiles: [],
    onReady: () => void (readyCount += 1),
  });
  await Promise.race([joinedAgain.promise, running]);
  process.emit("SIGTERM", "SIGTERM");
  await running;
  expect(joins).toHaveLength(3);
  expect(readyCount).toBe(1);
  await engine[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

test.each([
  ["a host that has moved all its sessions announces no absence", true, []],
  ["a host that leaves its agents running announces its absence", false, [65_000]],
])("%s", async (_, drains, expected) => {
  const folder = mkdtempSync(join(tmpdir(), "host-"));
  const engine = await openEngineIn(folder);
  const absences: number[] = [];
  const joinHost = async (host: HostInfo): Promise<Membership> => {
    const membership = await engine.hosts.join(host);
    return { ...membership, absent: async (milliseconds) => void absences.push(milliseconds) };
  };
  const hosts = new Proxy(engine.hosts, {
    get: (target, name: keyof Engine["hosts"]) => (name === "join" ? joinHost : target[name].bind(target)),
  });
  await runHost({
    context: { home: new Home(join(folder, "h")), environment: { ...process.env, FAIRLEAD_HOME: join(folder, "h") } },
    openEngine: async () => ({ ...engine, hosts, [Symbol.asyncDispose]: async () => {} }),
    pool: "default",
    max: 1,
    loginFiles: [],
    drains,
    onReady: () => process.emit("SIGTERM", "SIGTERM"),
  });
  expect(absences).toEqual(expected);
  await engine[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});
