import { spawn } from "node:child_process";
import { setTimeout as wait } from "node:timers/promises";
import type { Adapter, Effect, LaunchCommand, Opening } from "@fairlead/contract";
import { buildChildEnvironment, type Environment, type Runtime, type StartOptions } from "@fairlead/runtime";

export interface StartComparison {
  readonly runtime: Runtime;
  readonly adapter: Adapter;
  readonly start: StartOptions;
  readonly environment: Environment;
  /** The first message; null if the agent prints first. */
  readonly message: string | null;
  readonly rounds: number;
}

export interface StartTimes {
  readonly bare: number[];
  readonly ours: number[];
}

/** The time after a session until its keeper has exited and a spare keeper is ready. */
const settleTime = 500;

/** Measures the milliseconds from the command to the agent's first output, with and without Fairlead, alternating. */
export async function compareStarts(comparison: StartComparison): Promise<StartTimes> {
  const times: StartTimes = { bare: [], ours: [] };
  // The first of each warms up the disk and is not counted.
  for (let round = 0; round <= comparison.rounds; round += 1) {
    const [bare, ours] = [await timeBareStart(comparison), await timeOurStart(comparison)];
    if (round === 0) continue;
    times.bare.push(bare);
    times.ours.push(ours);
  }
  return times;
}

async function timeOurStart({ runtime, start, message }: StartComparison): Promise<number> {
  const startedAt = performance.now();
  const session = await runtime.start(start);
  const sent = message === null ? undefined : session.send(message);
  for await (const one of session.stream())
    if ("body" in one && !one.synthetic && one.body.type !== "turn.started") break;
  const elapsed = performance.now() - startedAt;
  await sent;
  await session.end();
  for await (const _ of session.stream(session.lastSequence));
  await wait(settleTime);
  return elapsed;
}

/** The same program with the same arguments and the same first input, read to its first line. */
async function timeBareStart({ runtime, adapter, start, environment, message }: StartComparison): Promise<number> {
  const { id, version: adapterVersion } = adapter.manifest;
  const probeResult = await runtime.probe(id);
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
    probeResult,
    continues: null,
  };
  const { launchCommand, input } = collectFirstEffects(adapter, opening, message);
  const startedAt = performance.now();
  const env = buildChildEnvironment(environment, adapter.manifest.environment, launchCommand.env);
  const child = spawn(launchCommand.program, launchCommand.args, {
    cwd: launchCommand.cwd,
    env,
    stdio: ["pipe", "pipe", "ignore"],
  });
  child.stdin.write(input);
  await new Promise<void>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => void (chunk.includes(10) && resolve()));
  });
  const elapsed = performance.now() - startedAt;
  const closed = new Promise((resolve) => void child.once("close", resolve));
  child.kill("SIGKILL");
  await closed;
  await wait(settleTime);
  return elapsed;
}

function collectFirstEffects(
  adapter: Adapter,
  opening: Opening,
  message: string | null,
): { launchCommand: LaunchCommand; input: string } {
  const { dialect } = adapter.open(opening);
  const opened = dialect.handle(dialect.initialState, { type: "open" });
  const launched = dialect.observe(opened.state, { kind: "launched" });
  const sent = message === null ? null : dialect.handle(launched.state, { type: "send", turn: "bare", text: message });
  const effects: Effect[] = [opened, launched, sent].flatMap((transition) => [...(transition?.effects ?? [])]);
  const launch = effects.find((effect) => effect.type === "launch");
  if (launch === undefined) throw new Error("It does not launch anything.");
  return {
    launchCommand: launch.command,
    input: effects.map((effect) => (effect.type === "write" ? effect.text : "")).join(""),
  };
}
