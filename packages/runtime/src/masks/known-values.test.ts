import { randomBytes } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { adapters } from "@fairlead/adapters";
import { requestDigest, type Adapter, type Event } from "@fairlead/contract";
import { expect, test } from "vitest";
import { eventsUntil, TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { Runtime } from "../runtime.ts";
import type { Session } from "../sessions/session.ts";

const newSecret = (): string => `sk-${randomBytes(15).toString("base64url")}`;
const maskPattern = /X{3,}[A-WYZa-z0-9]{6}/;

function filesWith(folder: string, text: string): string[] {
  const files = globSync("**", { cwd: folder, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => readIfPresent(file).includes(text));
}

/** A keeper that leaves removes its file. */
function readIfPresent(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return Buffer.alloc(0);
  }
}

async function run(session: Session, text: string): Promise<Event[]> {
  const after = session.lastSequence;
  await session.send(text);
  return await eventsUntil(session, "turn.ended", after);
}

test("a secret in a message and in the output is stored as a mask, and the agent gets it", async () => {
  await using testHome = new TestHome();
  const { home, environment, folder: workspace } = testHome;
  const secret = newSecret();
  const options = { home, adapters, environment, snapshotInterval: { records: 1, bytes: 1 } };
  let id: string;
  let mask = "";
  {
    await using runtime = await Runtime.open(options);
    const settings = { env: { API_TOKEN: secret } };
    const session = await runtime.start({ agent: "shell", workspace, settings });
    id = session.id;
    const events = JSON.stringify(await run(session, `printf ${secret} > copy; echo $API_TOKEN`));
    expect(events).not.toContain(secret);
    mask = maskPattern.exec(events)?.[0] ?? "";
    expect(events).toContain(`printf ${mask} > copy`);
    expect(readFileSync(join(workspace, "copy"), "utf8")).toBe(secret);
  }
  // Another process, and a message that repeats what the first one showed.
  await using runtime = await Runtime.open(options);
  const attached = await runtime.attach(id);
  await run(attached, `printf ${mask} > again`);
  expect(readFileSync(join(workspace, "again"), "utf8")).toBe(secret);
  expect(filesWith(home.folder, secret)).toEqual([home.secretsFile(id)]);
});

/** An agent that asks to run a command which prints its key, or the one that it was told. */
const askingAgent = `
  const write = (one) => process.stdout.write(JSON.stringify(one) + "\\n");
  write({ type: "hello", conversation: "c", model: "m" });
  let turns = 0;
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.type === "message") {
      const input = { command: "curl " + (message.text.split(" ")[1] ?? process.env.AGENT_KEY) };
      turns += 1;
      require("node:fs").appendFileSync("asked", input.command + "\\n");
      write({ type: "call", call: "c" + turns, name: "run", input });
      write({ type: "may-i", decision: "d" + turns, call: "c" + turns, name: "run", input });
    } else if (message.type === "answer") {
      require("node:fs").appendFileSync("ran", line + "\\n");
      write({ type: "result", call: "c" + turns, ok: message.allow, output: "", denied: !message.allow });
      write({ type: "done", outcome: "completed" });
    }
  });`;

function createAskingAdapter(): Adapter {
  const scripted = adapters.find(({ manifest }) => manifest.id === "scripted") as Adapter;
  return {
    ...scripted,
    manifest: { ...scripted.manifest, environment: [...scripted.manifest.environment, "AGENT_KEY"] },
    open(opening) {
      const { dialect, ...conversation } = scripted.open(opening);
      const handle: typeof dialect.handle = (state, command) => {
        const transition = dialect.handle(state, command);
        const effects = (transition.effects ?? []).map((effect) =>
          effect.type === "launch" ? { ...effect, command: { ...effect.command, args: ["-e", askingAgent] } } : effect,
        );
        return { ...transition, effects };
      };
      return { ...conversation, dialect: { ...dialect, handle } };
    },
  };
}

test("an allowed call runs with the secret, although the person saw its mask", async () => {
  await using testHome = new TestHome();
  const { home, folder: workspace } = testHome;
  const secret = newSecret();
  const environment = { ...testHome.environment, AGENT_KEY: secret };
  await using runtime = await Runtime.open({ home, adapters: [createAskingAdapter()], environment });
  const session = await runtime.start({ agent: "scripted", workspace });
  await session.send("go");
  const requested = (await eventsUntil(session, "decision.requested")).at(-1)?.body;
  if (requested?.type !== "decision.requested") throw new Error("no decision was requested");
  const { command } = requested.input as { command: string };
  expect(command).toMatch(maskPattern);
  await session.answer(requested.decision, { type: "allow", input: { command: `${command} --verbose` } });
  await eventsUntil(session, "turn.ended");
  expect(JSON.parse(readFileSync(join(workspace, "ran"), "utf8"))).toMatchObject({
    allow: true,
    input: { command: `curl ${secret} --verbose` },
  });
  expect(filesWith(home.folder, secret)).toEqual([]);
});

test("what looks like a credential is only in the spool, and the call runs as it was asked for", async () => {
  await using testHome = new TestHome();
  const { home, environment, folder: workspace } = testHome;
  const token = `ghp_${randomBytes(18).toString("hex")}`;
  await using runtime = await Runtime.open({ home, adapters: [createAskingAdapter()], environment });
  const session = await runtime.start({ agent: "scripted", workspace });
  await session.send(`use ${token}`);
  const requested = (await eventsUntil(session, "decision.requested")).at(-1)?.body;
  if (requested?.type !== "decision.requested") throw new Error("no decision was requested");
  expect(requested.input).toMatchObject({ command: expect.stringMatching(/^curl ghp_\*+\w{6}$/) as string });
  const other = requestDigest({ ...requested, title: "another" });
  await expect(session.answer("d1", { type: "allow", digest: other })).rejects.toMatchObject({ code: "conflict" });
  await session.answer("d1", { type: "allow", digest: requestDigest(requested) });
  await eventsUntil(session, "turn.ended");
  expect(readFileSync(join(workspace, "asked"), "utf8")).toContain(token);
  await session.end();
  await eventsUntil(session, "session.ended");
  const files = filesWith(home.folder, token).map((file) => relative(home.sessionFolder(session.id), file));
  expect(files).toEqual([expect.stringMatching(/^spool\//)]);
});

test.each(["default", "full-auto"] as const)("in mode %s, a call with a withheld key is denied", async (mode) => {
  await using testHome = new TestHome();
  const { home, environment, folder: workspace } = testHome;
  const key = newSecret();
  const options = { home, adapters: [createAskingAdapter()], environment, withheld: () => [key] };
  await using runtime = await Runtime.open(options);
  const session = await runtime.start({ agent: "scripted", workspace, mode });
  const events = await run(session, `use ${key}`);
  const resolved = events.find(({ body }) => body.type === "decision.resolved")?.body;
  expect(resolved).toMatchObject({
    outcome: "denied",
    by: { kind: "unattended" },
    message: expect.stringContaining("withheld") as string,
  });
  expect(readFileSync(join(workspace, "ran"), "utf8")).not.toContain(key);
  expect(filesWith(home.folder, key)).toEqual([]);
});
