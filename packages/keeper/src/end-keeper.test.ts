import { randomUUID } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { describe, expect, test, vi } from "vitest";
import { TestKeeper } from "@fairlead/testing/keeper/test-keeper.ts";
import { findProcessesByWord, shellCommand, until } from "@fairlead/testing/keeper/test-session-folder.ts";
import { endKeeper } from "./end-keeper.ts";
import { findKeeperProcess } from "./find-keeper-process.ts";
import { readProcessIdentity } from "./process/process-identity.ts";

/** Starts a keeper whose agent, and a child of it, ignore SIGTERM. Returns the word that both have in their arguments. */
async function startStubbornAgent(session: TestKeeper): Promise<{ readonly pid: number; readonly word: string }> {
  const keeper = await session.start();
  const word = randomUUID();
  const stubborn = `trap '' TERM; while :; do sleep 0.1; done # ${word}`;
  const command = shellCommand(
    `sh -c "${stubborn}" & trap '' TERM; echo started; while :; do sleep 0.1; done # ${word}`,
  );
  await keeper.send({ do: "launch", id: "l", command });
  await until(() => session.text("out").includes("started") && findProcessesByWord(word).length >= 2);
  await keeper[Symbol.asyncDispose]();
  return { pid: keeper.hello.pid, word };
}

describe.each(["namespace", "descendants"])("with containment by %s, endKeeper", (containment) => {
  test.each([
    ["of a working keeper", (_pid: number) => {}],
    ["of a frozen keeper", (pid: number) => void process.kill(pid, "SIGSTOP")],
  ])("ends the agent's processes %s", async (_, prepare) => {
    vi.stubEnv("FAIRLEAD_CONTAINMENT", containment);
    await using session = new TestKeeper();
    const { pid, word } = await startStubbornAgent(session);
    prepare(pid);
    await endKeeper(session.folder);
    expect(readProcessIdentity(pid)).toBeNull();
    expect(findProcessesByWord(word)).toEqual([]);
  });
});

test.each([
  ["is gone", (file: string) => rmSync(file)],
  ["is damaged", (file: string) => writeFileSync(file, '{"pid": 1')],
])("finds the keeper when its identity file %s", async (_, damage) => {
  await using session = new TestKeeper();
  const { pid, word } = await startStubbornAgent(session);
  damage(join(session.folder, "keeper.json"));
  await endKeeper(session.folder);
  expect(readProcessIdentity(pid)).toBeNull();
  expect(findProcessesByWord(word)).toEqual([]);
});

test("does not kill another process that the identity file names", async () => {
  await using session = new TestKeeper();
  const { pid } = await startStubbornAgent(session);
  const bystander = spawn("sleep", ["60"]);
  const file = join(session.folder, "keeper.json");
  const identity = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...identity, ...readProcessIdentity(bystander.pid ?? 0) }));
  expect(findKeeperProcess(session.folder)?.pid).toBe(pid);
  await endKeeper(session.folder);
  expect(readProcessIdentity(pid)).toBeNull();
  expect(readProcessIdentity(bystander.pid ?? 0)).not.toBeNull();
  bystander.kill("SIGKILL");
});

test("does nothing in a folder without a keeper", async () => {
  await using session = new TestKeeper();
  await endKeeper(session.folder);
  await endKeeper(join(session.folder, "missing"));
});
