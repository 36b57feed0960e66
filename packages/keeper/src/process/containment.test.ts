import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type Containment, findContainment } from "./containment.ts";
import { TestKeeper } from "@fairlead/testing/keeper/test-keeper.ts";
import { Keeper } from "../keeper.ts";
import { readProcessIdentity } from "./process-identity.ts";
import {
  findProcessesByWord,
  TestSessionFolder,
  shellCommand,
  until,
} from "@fairlead/testing/keeper/test-session-folder.ts";

const namespace: Containment = { kind: "namespace", program: "/usr/bin/bwrap" };
const descendants: Containment = { kind: "descendants" };

/** Ignores SIGTERM and runs for twenty seconds if the keeper fails to kill it. The test finds it by the word. */
const stubborn = (word: string): string =>
  `trap "" TERM HUP; : ${word} escapee; echo out; for n in $(/usr/bin/seq 200); do /bin/sleep 0.1; done`;
/** Forks twice, leaves its group and session, and prints a line when it runs. */
const escapee = (word: string): string => `(setsid sh -c '${stubborn(word)}' &) ;`;
/** Does the same with an empty environment. */
const escapeeWithoutEnv = (word: string): string => `(setsid env -i /bin/sh -c '${stubborn(word)}' &) ;`;

const waitForEscapee = (session: TestSessionFolder): Promise<boolean> =>
  until(() => session.text("out").includes("out\n"));

test("the machine that runs these tests supports namespaces", () => {
  expect(findContainment()).toEqual(namespace);
});

describe.each([
  [namespace, "an escapee", escapee],
  [namespace, "an escapee without environment", escapeeWithoutEnv],
  [descendants, "an escapee", escapee],
])("with containment %o, %s", (containment, _, escape) => {
  test("is killed although all processes ignore SIGTERM", async () => {
    using session = new TestSessionFolder();
    await using keeper = new Keeper(session.folder, { containment });
    const word = randomUUID();
    // The trap comes first: the line of the escapee then shows that the shell ignores SIGTERM too.
    keeper.handle({
      do: "launch",
      id: "l",
      command: shellCommand(`trap "" TERM; ${escape(word)} while :; do sleep 0.1; done`),
    });
    await waitForEscapee(session);
    expect(findProcessesByWord(`${word} escapee`).length).toBeGreaterThan(0);
    keeper.handle({ do: "kill", id: "k" });
    expect(await session.exit(1)).toEqual({ code: null, signal: "SIGKILL" });
    expect(findProcessesByWord(word)).toEqual([]);
  });

  test("is killed after its ancestor has exited", async () => {
    using session = new TestSessionFolder();
    await using keeper = new Keeper(session.folder, { containment });
    const word = randomUUID();
    keeper.handle({ do: "launch", id: "l", command: shellCommand(`${escape(word)} read line; exit 5`) });
    await waitForEscapee(session);
    keeper.handle({ do: "write", id: "s", text: "\n" });
    expect(await session.exit(1)).toEqual({ code: 5, signal: null });
    expect(findProcessesByWord(word)).toEqual([]);
  });

  test("survives a kill of another process of the same session", async () => {
    using session = new TestSessionFolder();
    await using keeper = new Keeper(session.folder, { containment });
    const word = randomUUID();
    keeper.handle({ do: "launch", id: "1", command: shellCommand(`${escape(word)} cat`) });
    await waitForEscapee(session);
    keeper.handle({ do: "launch", id: "2", command: shellCommand("exec sleep 100") });
    keeper.handle({ do: "kill", id: "k" });
    expect(await session.exit(2)).toEqual({ code: null, signal: "SIGTERM" });
    expect(findProcessesByWord(`${word} escapee`).length).toBeGreaterThan(0);
  });

  test("delays the exit only a little if it keeps the pipe open", async () => {
    using session = new TestSessionFolder();
    await using keeper = new Keeper(session.folder, { containment });
    const startedAt = performance.now();
    keeper.handle({ do: "launch", id: "l", command: shellCommand("sleep 100 & echo early; exit 0") });
    await session.exit(1);
    expect(performance.now() - startedAt).toBeLessThan(3000);
    expect(session.text("out")).toBe("early\n");
  });
});

describe("a keeper that is killed", () => {
  afterEach(() => vi.unstubAllEnvs());

  test("leaves no process behind with namespaces, not even one without its environment", async () => {
    await using session = new TestKeeper();
    await using keeper = await session.start();
    const word = randomUUID();
    const command = shellCommand(
      `${escapeeWithoutEnv(word)} ${escapee(word)} trap "" TERM; while :; do sleep 0.1; done`,
    );
    await keeper.send({ do: "launch", id: "l", command });
    await until(() => session.text("out") === "out\nout\n");
    process.kill(keeper.hello.pid, "SIGKILL");
    await until(() => findProcessesByWord(word).length === 0, 2000);
  });

  test("leaves its agent behind without namespaces, and the next keeper ends it before clients can connect", async () => {
    vi.stubEnv("FAIRLEAD_CONTAINMENT", "descendants");
    await using session = new TestKeeper();
    await using killed = await session.start();
    const word = randomUUID();
    await killed.send({ do: "launch", id: "l", command: shellCommand(`${escapee(word)} cat; ${stubborn(word)}`) });
    await waitForEscapee(session);
    expect(JSON.parse(session.text("launch"))).toMatchObject({ containment: "descendants" });
    process.kill(killed.hello.pid, "SIGKILL");
    await until(() => readProcessIdentity(killed.hello.pid) === null);
    expect(findProcessesByWord(word).length).toBeGreaterThan(0);
    await using _ = await session.start();
    expect(findProcessesByWord(word)).toEqual([]);
  });
});

test("control: without a namespace, an escapee without environment survives", async () => {
  using session = new TestSessionFolder();
  await using keeper = new Keeper(session.folder, { containment: descendants });
  const word = randomUUID();
  keeper.handle({ do: "launch", id: "l", command: shellCommand(`${escapeeWithoutEnv(word)} read line; exit 5`) });
  await waitForEscapee(session);
  keeper.handle({ do: "write", id: "s", text: "\n" });
  await session.exit(1);
  const survivors = findProcessesByWord(word);
  for (const pid of survivors) process.kill(pid, "SIGKILL");
  expect(survivors.length).toBeGreaterThan(0);
});
