import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Containment, findContainment } from "./containment.ts";
import { KeeperForTest } from "./keeper-for-test.ts";
import { Keeper } from "./keeper.ts";
import { identity } from "./process-identity.ts";
import { processesWith, SessionForTest, shell, until } from "./session-for-test.ts";

const namespace: Containment = { kind: "namespace", program: "/usr/bin/bwrap" };
const descendants: Containment = { kind: "descendants" };

/** Ignores SIGTERM and goes on for twenty seconds, if we fail. The word is how we find it. */
const stubborn = (word: string): string =>
  `trap "" TERM HUP; : ${word} escapee; echo out; for n in $(/usr/bin/seq 200); do /bin/sleep 0.1; done`;
/** Forks twice, leaves its group and session, and says when it is there. */
const escapee = (word: string): string => `(setsid sh -c '${stubborn(word)}' &) ;`;
/** The same, and sheds its environment too. */
const nakedEscapee = (word: string): string => `(setsid env -i /bin/sh -c '${stubborn(word)}' &) ;`;

const escaped = (session: SessionForTest): Promise<boolean> => until(() => session.text("out").includes("out\n"));

test("the machine that runs these tests can hold by namespace", () => {
  expect(findContainment()).toEqual(namespace);
});

describe.each([
  [namespace, "an escapee", escapee],
  [namespace, "a naked escapee", nakedEscapee],
  [descendants, "an escapee", escapee],
])("held by %o, nothing is left of %s", (containment, _, escape) => {
  test("after a kill that everybody ignores", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder, { containment });
    const word = randomUUID();
    keeper.take({ do: "launch", id: "l", line: shell(`${escape(word)} trap "" TERM; while :; do sleep 0.1; done`) });
    await escaped(session);
    expect(processesWith(`${word} escapee`).length).toBeGreaterThan(0);
    keeper.take({ do: "kill", id: "k" });
    expect(await session.exit(1)).toEqual({ code: null, signal: "SIGKILL" });
    expect(processesWith(word)).toEqual([]);
  });

  test("after a process ends by itself", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder, { containment });
    const word = randomUUID();
    keeper.take({ do: "launch", id: "l", line: shell(`${escape(word)} read line; exit 5`) });
    await escaped(session);
    keeper.take({ do: "say", id: "s", text: "\n" });
    expect(await session.exit(1)).toEqual({ code: 5, signal: null });
    expect(processesWith(word)).toEqual([]);
  });

  test("but what another process of the same session has started stays", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder, { containment });
    const word = randomUUID();
    keeper.take({ do: "launch", id: "1", line: shell(`${escape(word)} cat`) });
    await escaped(session);
    keeper.take({ do: "launch", id: "2", line: shell("exec sleep 100") });
    keeper.take({ do: "kill", id: "k" });
    expect(await session.exit(2)).toEqual({ code: null, signal: "SIGTERM" });
    expect(processesWith(`${word} escapee`).length).toBeGreaterThan(0);
  });

  test("and a grandchild that holds the pipe delays the exit only a little", async () => {
    using session = new SessionForTest();
    await using keeper = new Keeper(session.folder, { containment });
    const started = performance.now();
    keeper.take({ do: "launch", id: "l", line: shell("sleep 100 & echo early; exit 0") });
    await session.exit(1);
    expect(performance.now() - started).toBeLessThan(3000);
    expect(session.text("out")).toBe("early\n");
  });
});

describe("a keeper that is killed", () => {
  afterEach(() => vi.unstubAllEnvs());

  test("leaves nothing, where there are namespaces: not even who sheds everything", async () => {
    await using session = new KeeperForTest();
    await using keeper = await session.start();
    const word = randomUUID();
    const line = shell(`${nakedEscapee(word)} ${escapee(word)} trap "" TERM; while :; do sleep 0.1; done`);
    await keeper.send({ do: "launch", id: "l", line });
    await until(() => session.text("out") === "out\nout\n");
    process.kill(keeper.hello.pid, "SIGKILL");
    await until(() => processesWith(word).length === 0, 2000);
  });

  test("leaves its agent, where there are none, and the next keeper ends it before anybody can reach it", async () => {
    vi.stubEnv("FAIRLEAD_CONTAINMENT", "descendants");
    await using session = new KeeperForTest();
    await using killed = await session.start();
    const word = randomUUID();
    await killed.send({ do: "launch", id: "l", line: shell(`${escapee(word)} cat; ${stubborn(word)}`) });
    await escaped(session);
    expect(JSON.parse(session.text("launch"))).toMatchObject({ containment: "descendants" });
    process.kill(killed.hello.pid, "SIGKILL");
    await until(() => identity(killed.hello.pid) === null);
    expect(processesWith(word).length).toBeGreaterThan(0);
    await using _ = await session.start();
    expect(processesWith(word)).toEqual([]);
  });
});

test("control: without a namespace, who sheds everything gets away", async () => {
  using session = new SessionForTest();
  await using keeper = new Keeper(session.folder, { containment: descendants });
  const word = randomUUID();
  keeper.take({ do: "launch", id: "l", line: shell(`${nakedEscapee(word)} read line; exit 5`) });
  await escaped(session);
  keeper.take({ do: "say", id: "s", text: "\n" });
  await session.exit(1);
  const left = processesWith(word);
  for (const pid of left) process.kill(pid, "SIGKILL");
  expect(left.length).toBeGreaterThan(0);
});
