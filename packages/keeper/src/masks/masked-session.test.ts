import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Exit, Sandbox } from "@fairlead/contract";
import { expect, test } from "vitest";
import { ManualClock } from "@fairlead/testing/keeper/manual-clock.ts";
import { shellCommand, TestSessionFolder, until } from "@fairlead/testing/keeper/test-session-folder.ts";
import { Keeper } from "../keeper.ts";
import type { LaunchedProcessOptions } from "../process/launched-process.ts";
import { noSandbox } from "../sandbox/no-sandbox.ts";
import type { Mask } from "./masks.ts";

const secret = "sk-0123456789abcdef";
const mask = "XXXXXXXXXXXXXhG7k2q";
const masks: readonly Mask[] = [{ text: secret, mask, restores: true }];

/** A keeper whose process is the test: it sends output and sees what was written. */
class ScriptedKeeper implements AsyncDisposable {
  readonly session = new TestSessionFolder();
  readonly clock = new ManualClock();
  readonly written: string[] = [];
  readonly #ended = Promise.withResolvers<Exit>();
  #process: LaunchedProcessOptions | undefined;
  readonly keeper = new Keeper(this.session.folder, {
    clock: this.clock,
    launchProcess: (options) => {
      this.#process = options;
      return {
        ended: this.#ended.promise,
        terminal: null,
        write: (text) => void this.written.push(text),
        closeStdin: () => {},
        answerNetwork: () => {},
        signal: () => {},
        kill: async () => this.#ended.resolve({ code: 0, signal: null }),
        killAtOnce: async () => this.#ended.resolve({ code: 0, signal: null }),
        freeze: () => {},
        thaw: () => {},
      };
    },
  });

  launch(args: readonly string[] = [], sandbox: Sandbox = noSandbox): LaunchedProcessOptions {
    const command = { ...shellCommand("true"), args: [...args] };
    this.keeper.handle({ do: "launch", id: "launch", command, sandbox });
    return this.#process!;
  }

  async end(exit: Exit): Promise<void> {
    this.#ended.resolve(exit);
    await until(() => this.session.records().at(-1)?.kind === "exit");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.keeper[Symbol.asyncDispose]();
    this.session[Symbol.dispose]();
  }
}

test.each(["out", "err", "screen"] as const)("%s is masked at every split, and comes at once", async (kind) => {
  await using scripted = new ScriptedKeeper();
  scripted.keeper.handle({ do: "mask", id: "m", masks });
  const { onOutput } = scripted.launch();
  const line = `a ${secret} b\n`;
  for (let at = 1; at < line.length; at++) {
    void onOutput(kind, Buffer.from(line.slice(0, at)));
    void onOutput(kind, Buffer.from(line.slice(at)));
  }
  expect(scripted.session.text(kind)).toBe(`a ${mask} b\n`.repeat(line.length - 1));
});

test("output that may begin a secret waits for a bounded time", async () => {
  await using scripted = new ScriptedKeeper();
  scripted.keeper.handle({ do: "mask", id: "m", masks });
  const { onOutput } = scripted.launch();
  void onOutput("screen", Buffer.from("Password: s"));
  void onOutput("out", Buffer.from("Name: sk"));
  expect([scripted.session.text("screen"), scripted.session.text("out")]).toEqual(["Password: ", "Name: "]);
  scripted.clock.advance(50);
  expect([scripted.session.text("screen"), scripted.session.text("out")]).toEqual(["Password: s", "Name: "]);
  scripted.clock.advance(450);
  expect(scripted.session.text("out")).toBe("Name: sk");
});

test("what is held back comes before the exit, whose error is masked, too", async () => {
  await using scripted = new ScriptedKeeper();
  scripted.keeper.handle({ do: "mask", id: "m", masks });
  void scripted.launch().onOutput("out", Buffer.from(secret.slice(0, -1)));
  await scripted.end({ code: null, signal: null, error: `spawn ${secret} failed` });
  expect(scripted.session.records().map(({ kind }) => kind)).toEqual(["launch", "out", "exit"]);
  expect(scripted.session.text("out")).toBe(mask.slice(0, -1));
  expect(scripted.session.text("exit")).toContain(`spawn ${mask} failed`);
});

test("requests are recorded with the mask, and the agent gets the secret", async () => {
  await using scripted = new ScriptedKeeper();
  const { keeper, session, written } = scripted;
  const withheld = { text: "withheld-key", mask: "XXXXXXp0Rs3t", restores: false };
  keeper.handle({ do: "mask", id: "m1", masks });
  keeper.handle({ do: "mask", id: "m2", masks: [withheld] });
  keeper.handle({ do: "note", id: "n", text: `{"text":"${secret} ${withheld.text}"}` });
  const { command } = scripted.launch(["--prompt", `use ${mask}`, withheld.mask]);
  keeper.handle({ do: "write", id: "w", text: `${mask} ${secret} ${withheld.mask}\n` });
  expect(session.text("note")).toBe(`{"text":"${mask} ${withheld.mask}"}`);
  expect(JSON.parse(session.text("launch"))).toMatchObject({ args: ["--prompt", `use ${mask}`, withheld.mask] });
  expect(command.args).toEqual(["--prompt", `use ${secret}`, withheld.mask]);
  expect(session.text("in")).toBe(`${mask} ${mask} ${withheld.mask}\n`);
  expect(written).toEqual([`${secret} ${secret} ${withheld.mask}\n`]);
});

test("a process gets the sandbox without masks", async () => {
  await using scripted = new ScriptedKeeper();
  scripted.keeper.handle({ do: "mask", id: "m", masks });
  const paths = (text: string): Sandbox => ({ ...noSandbox, kind: "bwrap", writes: [`/srv/${text}/agent`] });
  const { sandbox } = scripted.launch([], paths(mask));
  expect(sandbox).toEqual(paths(secret));
  expect(JSON.parse(scripted.session.text("launch"))).toMatchObject({ sandbox: paths(mask) });
});

test("a real process prints its secret in pieces, and no file has it", async () => {
  using session = new TestSessionFolder();
  await using keeper = new Keeper(session.folder);
  keeper.handle({ do: "mask", id: "m", masks });
  const script = `printf ${secret.slice(0, 9)}; sleep 0.1; printf '${secret.slice(9)}\\n'; echo $TOKEN >&2; read x; test "$x" = "$TOKEN"`;
  const env = { PATH: process.env["PATH"] ?? "", TOKEN: secret };
  keeper.handle({ do: "launch", id: "l", command: shellCommand(script, { env }) });
  keeper.handle({ do: "write", id: "w", text: `${mask}\n` });
  expect(await session.exit(1)).toEqual({ code: 0, signal: null });
  expect([session.text("out"), session.text("err")]).toEqual([`${mask}\n`, `${mask}\n`]);
  const files = readdirSync(session.spool).map((name) => readFileSync(join(session.spool, name)));
  expect(Buffer.concat(files).includes(secret)).toBe(false);
});

test("without masks, output is recorded as it is", async () => {
  await using scripted = new ScriptedKeeper();
  void scripted.launch().onOutput("out", Buffer.from(secret));
  expect(scripted.session.text("out")).toBe(secret);
});

test("a reference in the input is recorded, and the process gets its value", async () => {
  await using scripted = new ScriptedKeeper();
  scripted.launch();
  const [known, unknown] = ["fairlead-secret:n1/mcp.a.TOKEN", "fairlead-secret:n2/mcp.a.TOKEN"];
  const text = `{"value":"${known}","other":"${unknown}"}\n`;
  scripted.keeper.handle({ do: "write", id: "w1", text, secrets: { [known]: 'a "b"' } });
  // A message that quotes a reference does not get the value.
  scripted.keeper.handle({ do: "write", id: "w2", text });
  expect(scripted.session.text("in")).toBe(`${text}${text}`);
  expect(scripted.written).toEqual([text.replace(known, String.raw`a \"b\"`), text]);
});
