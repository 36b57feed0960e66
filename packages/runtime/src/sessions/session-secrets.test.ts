import { randomBytes } from "node:crypto";
import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { adapters } from "@fairlead/adapters";
import { expect, test, vi } from "vitest";
import { eventsUntil, readJournal, TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { Home } from "../home.ts";
import { Runtime } from "../runtime.ts";
import { createCheckpoint } from "./session-checkpoint.ts";
import type { Session } from "./session.ts";

/** An agent that is always installed and whose options are arguments of its program. */
const strictAgent = adapters.find(({ manifest: { settings } }) => {
  const accepts = (options: object): boolean => settings.safeParse({ options }).success;
  return accepts({ "base-url": "http://x" }) && !accepts({ unknown: "x" });
})!;
const newSecret = (): string => randomBytes(12).toString("hex");
const showVariable = 'printf %s "$TOKEN" | rev'; // the output must not be the secret either
const reversed = (text: string): string => Array.from(text).toReversed().join("");

function filesWith(folder: string, secret: string): string[] {
  const files = globSync("**", { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .filter((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(secret))
    .map(({ name }) => name);
}

function readCommandLines(): string[][] {
  return globSync("/proc/[0-9]*/cmdline").map((file) => {
    try {
      return readFileSync(file, "utf8").split("\0");
    } catch {
      return []; // the process has exited
    }
  });
}

/** Sends a command that prints the variable, reversed, and returns its output. */
async function readVariable(session: Session): Promise<string> {
  const after = session.lastSequence;
  await session.send(showVariable);
  const events = await eventsUntil(session, "turn.ended", after);
  return events.flatMap(({ body }) => (body.type === "tool.ended" ? [JSON.stringify(body)] : [])).join("");
}

test("secret settings are in one private file, and a session uses them after a restart, in a fork and in a resume", async () => {
  await using testHome = new TestHome();
  const { home, environment, folder: workspace } = testHome;
  const secret = newSecret();
  // A snapshot after every record, so that the snapshot of a pending launch is on disk, too.
  const options = { home, adapters, environment, snapshotInterval: { records: 1, bytes: 1 } };
  let id: string;
  {
    await using runtime = await Runtime.open(options);
    const session = await runtime.start({ agent: "shell", workspace, settings: { env: { TOKEN: secret } } });
    id = session.id;
    expect(await readVariable(session)).toContain(reversed(secret));
    expect(filesWith(home.folder, secret)).toEqual(["secrets.json"]);
    expect(statSync(home.secretsFile(id)).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(await readJournal(runtime, id))).not.toContain(secret);
    expect(JSON.stringify(session.state)).not.toContain(secret);
  }
  await using runtime = await Runtime.open(options);
  const attached = await runtime.attach(id);
  expect(await readVariable(attached)).toContain(reversed(secret));
  const fork = await runtime.fork(id, { outcome: "fresh" });
  expect(await readVariable(fork)).toContain(reversed(secret));
  await attached.end();
  await eventsUntil(attached, "session.ended");
  const resumed = await runtime.resume(id, "fresh");
  expect(await readVariable(resumed)).toContain(reversed(secret));
  expect(new Set(filesWith(home.folder, secret))).toEqual(new Set(["secrets.json"]));
  await attached.finished;
  await runtime.forget(id);
  expect(filesWith(home.folder, secret)).toHaveLength(2);
});

test("the text of options is neither in the spool, nor in the checkpoint, but in the agent's arguments", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const secret = newSecret();
  const settings = { options: { "base-url": `http://127.0.0.1:1/${secret}` } };
  const session = await runtime.start({ agent: strictAgent.manifest.id, workspace: testHome.folder, settings });
  const argument = `--base-url=http://127.0.0.1:1/${secret}`;
  await vi.waitUntil(() => readCommandLines().some((words) => words.includes(argument)), 20_000);
  expect(filesWith(testHome.home.folder, secret)).toEqual(["secrets.json"]);
  const checkpoint = createCheckpoint(session.state, session.lastSequence, Date.now());
  expect(checkpoint).toMatchObject({ settings: { options: {} }, secretSettings: ["options.base-url"] });
});

test("a checkpoint names the secrets that another data directory needs to restore it", async () => {
  await using testHome = new TestHome();
  const runtime = await testHome.open();
  const secret = newSecret();
  const settings = { env: { TOKEN: secret }, timeout: 1234 };
  const session = await runtime.start({ agent: "shell", workspace: testHome.folder, settings });
  const checkpoint = createCheckpoint(session.state, session.lastSequence, Date.now());
  expect(JSON.stringify(checkpoint)).not.toContain(secret);
  expect(checkpoint).toMatchObject({ secretSettings: ["env.TOKEN"], settings: { env: {}, timeout: 1234 } });
  const { environment, folder } = testHome;
  await using other = await Runtime.open({ home: new Home(join(folder, "o")), adapters, environment });
  const portable = { ...checkpoint, agentSessionId: "conversation" };
  await expect(other.resumeFrom(portable)).rejects.toMatchObject({
    code: "invalid-settings",
    message: expect.stringContaining("env.TOKEN") as string,
  });
  const restored = await other.resumeFrom(portable, { env: { TOKEN: secret } });
  expect(await readVariable(restored)).toContain(reversed(secret));
  await restored.end();
  await eventsUntil(restored, "session.ended");
});
