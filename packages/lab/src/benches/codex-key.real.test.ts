import { appendFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { adapters } from "@fairlead/adapters";
import { ScenarioRun, type OpenTestBench, type TestBench } from "@fairlead/conformance";
import type { Adapter, Sandbox } from "@fairlead/contract";
import { expect, test } from "vitest";
import { openCodexBench, openCodexExecKeyBench, openCodexKeyBench } from "./codex.ts";

const key = "sk-the-key-that-is-withheld";

interface Opened extends AsyncDisposable {
  readonly run: ScenarioRun;
  /** The folder of Codex's own files. */
  readonly codexHome: string;
  /** The keys that the lab received with requests to the model. */
  readonly received: () => (string | undefined)[];
}

/** Opens a bench whose program has a key, in a sandbox. Not in `/tmp`, which is the sandbox's own. */
async function openWithKey(
  id: "codex" | "codex-exec",
  openBench: OpenTestBench,
  { network = "gate", variable = "OPENAI_API_KEY" }: { network?: Sandbox["network"]; variable?: string } = {},
): Promise<Opened> {
  const stack = new AsyncDisposableStack();
  const folder = mkdtempSync("/var/tmp/ck-");
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const opened = stack.use(await openBench(join(folder, "s")));
  const bench: TestBench = { ...opened, environment: { ...opened.environment, [variable]: key } };
  const adapter = adapters.find(({ manifest }) => manifest.id === id) as Adapter;
  const run = stack.use(await ScenarioRun.open(adapter, bench, folder, { kind: "bwrap", network }));
  return {
    run,
    codexHome: bench.environment["CODEX_HOME"] ?? "",
    received: () =>
      opened.readRequestHeaders?.().map((headers) => (headers as IncomingHttpHeaders).authorization) ?? [],
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function runTurn(run: ScenarioRun, text: string, nth = 1): Promise<void> {
  await run.runSteps({ text });
  expect((await run.waitForEvent("turn.ended", nth)).outcome).toBe("completed");
  expect(run.eventsOfType("text.ended").at(-1)?.text).toBe(text);
}

const credentialOf = (run: ScenarioRun): string | undefined =>
  run.eventsOfType("session.started")[0]?.sandbox?.credential;

test.each([
  ["codex", openCodexKeyBench],
  ["codex-exec", openCodexExecKeyBench],
] as const)("%s continues a conversation without its key", async (id, openBench) => {
  await using opened = await openWithKey(id, openBench);
  const { run } = opened;
  await run.start();
  await runTurn(run, "The first.");
  await run.end();
  await run.resume();
  await runTurn(run, "The second.");
  expect(credentialOf(run)).toBe("withheld");
  expect(await run.bench.readModelContext?.()).toContain("The first.");
  expect(new Set(opened.received())).toEqual(new Set([`Bearer ${key}`]));
});

test("a conversation continues with the key inside after it was withheld", async () => {
  await using opened = await openWithKey("codex", openCodexKeyBench);
  const { run } = opened;
  await run.start();
  await runTurn(run, "The first.");
  await run.end();
  writeFileSync(join(opened.codexHome, "auth.json"), JSON.stringify({ OPENAI_API_KEY: "sk-of-the-login" }));
  await run.resume();
  await runTurn(run, "The second.");
  expect(credentialOf(run)).toBe("inside");
  expect(await run.bench.readModelContext?.()).toContain("The first.");
  expect(new Set(opened.received())).toEqual(new Set([`Bearer ${key}`, "Bearer sk-of-the-login"]));
});

test("the key is inside if Codex has a login, or if its configuration chooses another provider", async () => {
  await using withLogin = await openWithKey("codex", openCodexKeyBench);
  writeFileSync(join(withLogin.codexHome, "auth.json"), JSON.stringify({ OPENAI_API_KEY: "sk-of-the-login" }));
  await withLogin.run.start();
  await runTurn(withLogin.run, "With a login.");
  expect(credentialOf(withLogin.run)).toBe("inside");
  expect(new Set(withLogin.received())).toEqual(new Set(["Bearer sk-of-the-login"]));

  await using withProvider = await openWithKey("codex", openCodexBench);
  await withProvider.run.start();
  await runTurn(withProvider.run, "With another provider.");
  expect(credentialOf(withProvider.run)).toBe("inside");

  await using withComment = await openWithKey("codex", openCodexKeyBench);
  appendFileSync(join(withComment.codexHome, "config.toml"), '# model_provider = "other"\n');
  await withComment.run.start();
  expect((await withComment.run.waitForEvent("session.started")).sandbox?.credential).toBe("withheld");
});

test("the key of a provider that the settings define is withheld", async () => {
  const variable = "CODEX_OWN_KEY";
  await using opened = await openWithKey("codex", openCodexKeyBench, { variable });
  const { run } = opened;
  const options = {
    model_provider: "own",
    "model_providers.own.name": "own",
    "model_providers.own.base_url": `${run.bench.services?.[0]}/v1`,
    "model_providers.own.env_key": variable,
  };
  await run.start({ settings: { options } });
  await runTurn(run, "The first.");
  await run.end();
  await run.resume();
  await runTurn(run, "The second.");
  expect(credentialOf(run)).toBe("withheld");
  expect(opened.received()).toEqual([`Bearer ${key}`, `Bearer ${key}`]);
});

test(
  "in its terminal, Codex asks for the key that stands in, and stores it nowhere",
  { timeout: 240_000 },
  async () => {
    await using opened = await openWithKey("codex", openCodexKeyBench);
    const { run, codexHome } = opened;
    const session = await run.start();
    await runTurn(run, "The word is heliotrope.");
    await session.takeOver({ columns: 200, rows: 50 });
    const screen = (): string =>
      run
        .deltasOfType("screen")
        .map(({ text }) => text)
        .join("");
    // A busy program may miss a key.
    const typeUntil = async (input: string, pattern: RegExp): Promise<void> => {
      const deadline = AbortSignal.timeout(run.waitTimeout);
      for (let presses = 0; !pattern.test(screen()); presses += 1) {
        if (presses % 40 === 0) await session.type(input);
        await wait(100, undefined, { signal: deadline });
      }
    };
    await run.waitUntil(() => /ChatGPT.*disabled/s.test(screen()), "the question how to sign in");
    await typeUntil("\r", /withheld-by-fairlead/);
    await typeUntil("\r", /heliotrope/);
    // Written with an escape, so that only the answer has the word.
    const prompt = run.bench.buildPrompt([{ text: "marmalade", chunks: 1 }], run.workspace) ?? "";
    await session.type(`\u001B[200~${prompt.replace("marmalade", String.raw`marmalad\u0065`)}\u001B[201~`);
    await typeUntil("\r", /marmalade/);
    await session.handBack();
    await run.waitForEvent("lead.changed", 2);
    expect(existsSync(join(codexHome, "auth.json"))).toBe(false);
    const before = run.eventsOfType("turn.ended").length;
    await runTurn(run, "I remember.", before + 1);
    expect(await run.bench.readModelContext?.()).toContain("marmalad");
    expect(new Set(opened.received())).toEqual(new Set([`Bearer ${key}`]));
  },
);
