import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Brief } from "@fairlead/contract";
import type { TestBench } from "@fairlead/conformance";
import { connect } from "@fairlead/daemon";
import { Home } from "@fairlead/runtime";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";
import { ChildProgram } from "../../measure/child-program.ts";
import { TestHome } from "../../measure/test-home.ts";
import { ShimTestClient } from "../shim-wire/shim-test-client.ts";

/** One session, driven through one interface. */
export interface BriefDriver extends AsyncDisposable {
  readonly workspace: string;
  start(brief: Brief): Promise<void>;
  update(brief: Brief): Promise<void>;
  /** Resolves when the turn has ended. */
  turnEnd(): Promise<void>;
  /** Sends a message, and resolves when its turn has ended. */
  nextTurn(message: string): Promise<void>;
  /** Returns the brief that the interface shows. */
  readBrief(): Promise<unknown>;
}

export type OpenBriefDriver = (agent: string, bench: TestBench) => Promise<BriefDriver>;

/** The agents run a command that waits for a file, without asking. The sandbox of Codex may not start in the lab. */
function modeOf(agent: string): "full-auto" | "dangerously-skip-permissions" {
  return agent === "codex" ? "dangerously-skip-permissions" : "full-auto";
}

const timeout = ["--timeout", "180s"];

export const openCliDriver: OpenBriefDriver = async (agent, bench) => {
  const cli = new TestCli(bench.environment);
  let session = "";
  const run = async (...words: readonly string[]): Promise<string> => {
    const { code, out, err } = await cli.run(words);
    if (code !== 0) throw new Error(`${words.slice(0, 2).join(" ")} exited with ${code}: ${err}`);
    return out.trim();
  };
  const write = (name: string, value: unknown): string => {
    writeFileSync(join(cli.workspace, name), JSON.stringify(value));
    return name;
  };
  return {
    workspace: cli.workspace,
    async start(brief) {
      const settings = ["--settings", write("settings.json", bench.settings ?? {})];
      const options = ["--mode", modeOf(agent), "--sandbox", "none", ...settings];
      session = await run("run", agent, "-d", "--brief", write("brief.json", brief), ...options);
    },
    update: async (brief) => void (await run("update-brief", session, write("brief.json", brief))),
    turnEnd: async () => void (await run("wait", session, ...timeout)),
    async nextTurn(message) {
      await run("send", session, message);
      await run("wait", session, ...timeout);
    },
    async readBrief() {
      const [shown] = await cli.json<{ readonly brief: unknown }>("update-brief", session, "--show");
      return shown?.brief;
    },
    [Symbol.asyncDispose]: () => cli[Symbol.asyncDispose](),
  };
};

export const openApiDriver: OpenBriefDriver = async (agent, bench) => {
  const cli = new TestCli(bench.environment);
  await cli.run(["up"]);
  const fairlead = await connect({ home: new Home(cli.home) });
  let session = "";
  let last = 0;
  const turnEnd = async (): Promise<void> => {
    const signal = AbortSignal.timeout(180_000);
    for await (const output of fairlead.events(session, { follow: true, after: last, signal })) {
      if (!("body" in output)) continue;
      last = output.sequence;
      if (output.body.type === "turn.ended") return;
    }
    throw new Error("The turn did not end.");
  };
  return {
    workspace: cli.workspace,
    async start(brief) {
      const options = { mode: modeOf(agent), sandbox: { kind: "none" }, settings: { ...bench.settings } } as const;
      ({ session } = await fairlead.start({ agent, workspace: cli.workspace, brief, ...options }));
    },
    update: (brief) => fairlead.updateBrief(session, brief),
    turnEnd,
    async nextTurn(message) {
      await fairlead.send(session, message);
      await turnEnd();
    },
    readBrief: async () => (await fairlead.session(session)).brief,
    [Symbol.asyncDispose]: () => cli[Symbol.asyncDispose](),
  };
};

/** The protocol sends no messages, so the next turn follows a pause and context. */
export const openShimDriver: OpenBriefDriver = async (agent, bench) => {
  const resources = new AsyncDisposableStack();
  const testHome = resources.use(new TestHome(bench.environment));
  const workspace = testHome.workspace();
  const env = { ...bench.environment, FAIRLEAD_HOME: testHome.home.folder, FAIRLEAD_DAEMON: "off" };
  // A brief with settings needs all modes.
  const allowModes = ["--allow-modes", "dangerously-skip-permissions"];
  const args = ["shim", "--port", "0", "--workspace", workspace, "--agent", agent, ...allowModes];
  const main = new URL("../../packages/cli/src/main.ts", import.meta.url);
  const shim = resources.use(new ChildProgram(main, null, { env, args }));
  const url = /http:\S+\d/.exec(await shim.readLine())?.[0] ?? "";
  const token = /Bearer (\S+)/.exec(await shim.readLine())?.[1] ?? "";
  const client = await ShimTestClient.open({ url, token });
  resources.defer(() => client.close());
  // Stopped cleanly, so that the shim also ends its spare keeper.
  resources.defer(async () => {
    await client.request("POST /kill", { grace: false });
    process.kill(shim.pid, "SIGTERM");
    await shim.ended;
  });
  let seen = 0;
  const turnEnd = async (): Promise<void> => {
    await client.waitForEvent("a completion", ({ type }) => type === "completion", seen);
    seen = client.envelopes.length;
  };
  return {
    workspace,
    async start({ goal, constraints }) {
      const fairlead = { settings: bench.settings ?? {}, mode: modeOf(agent) };
      const providerConfig = { fairlead };
      await client.request("POST /spawn", { agentId: "a", description: goal, constraints, providerConfig });
    },
    update: async ({ goal }) => void (await client.request("POST /update-brief", { description: goal })),
    turnEnd,
    async nextTurn() {
      await client.request("POST /inject-context", { content: "There is more to do." });
      const state = await client.request("POST /pause");
      seen = client.envelopes.length;
      await client.request("POST /resume", state);
      await turnEnd();
    },
    async readBrief() {
      const { checkpoint } = (await client.request("POST /checkpoint", {})) as {
        readonly checkpoint?: { readonly stateSnapshot?: { readonly brief?: unknown } };
      };
      return checkpoint?.stateSnapshot?.brief;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
