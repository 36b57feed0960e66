import { spawn } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import type { Adapter, Effect, LaunchLine, Opening } from "@fairlead/contract";
import { childEnvironment, type Environment, type Runtime, type StartOptions } from "@fairlead/runtime";

export interface Race {
  readonly runtime: Runtime;
  readonly adapter: Adapter;
  readonly start: StartOptions;
  readonly environment: Environment;
  /** What is said at once; null when the agent speaks first. */
  readonly message: string | null;
  readonly rounds: number;
}

export interface Times {
  readonly bare: number[];
  readonly ours: number[];
}

/** So long after a session there is peace again: the keeper has gone, and a spare one stands ready. */
const peace = 500;

/** The milliseconds from the command to the first word of the agent, with us and without us, in turns. */
export async function race(entrants: Race): Promise<Times> {
  const times: Times = { bare: [], ours: [] };
  // The first of each warms up the disk and does not count.
  for (let round = 0; round <= entrants.rounds; round += 1) {
    const [bare, ours] = [await bareStart(entrants), await ourStart(entrants)];
    if (round === 0) continue;
    times.bare.push(bare);
    times.ours.push(ours);
  }
  return times;
}

async function ourStart({ runtime, start, message }: Race): Promise<number> {
  const began = performance.now();
  const session = await runtime.start(start);
  const sent = message === null ? undefined : session.send(message);
  for await (const one of session.stream())
    if ("body" in one && !one.synthetic && one.body.type !== "turn.started") break;
  const took = performance.now() - began;
  await sent;
  await session.end();
  for await (const _ of session.stream(session.last));
  await wait(peace);
  return took;
}

/** The same program with the same arguments and the same first words, read to its first line. */
async function bareStart({ runtime, adapter, start, environment, message }: Race): Promise<number> {
  const { id, version: adapterVersion } = adapter.manifest;
  const finding = await runtime.probe(id);
  const settings = adapter.manifest.settings.parse(start.settings ?? {});
  const { workspace, mode = "default" } = start;
  const opening: Opening = {
    session: "bare",
    name: null,
    agent: id,
    adapterVersion,
    workspace,
    mode,
    settings,
    finding,
    continues: null,
  };
  const { line, words } = firstEffects(adapter, opening, message);
  const began = performance.now();
  const env = childEnvironment(environment, adapter.manifest.environment, line.env);
  const child = spawn(line.program, line.args, { cwd: line.cwd, env, stdio: ["pipe", "pipe", "ignore"] });
  child.stdin.write(words);
  await new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => void (chunk.includes(10) && resolve()));
  });
  const took = performance.now() - began;
  const closed = new Promise((resolve) => void child.once("close", resolve));
  child.kill("SIGKILL");
  await closed;
  await wait(peace);
  return took;
}

function firstEffects(adapter: Adapter, opening: Opening, message: string | null): { line: LaunchLine; words: string } {
  const { dialect } = adapter.open(opening);
  const opened = dialect.ask(dialect.start, { type: "open" });
  const launched = dialect.hear(opened.state, { kind: "launched" });
  const sent = message === null ? null : dialect.ask(launched.state, { type: "send", turn: "bare", text: message });
  const effects: Effect[] = [opened, launched, sent].flatMap((step) => [...(step?.effects ?? [])]);
  const launch = effects.find((effect) => effect.type === "launch");
  if (launch === undefined) throw new Error("It does not launch anything.");
  return { line: launch.line, words: effects.map((effect) => (effect.type === "say" ? effect.text : "")).join("") };
}
