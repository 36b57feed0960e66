import { setTimeout as delay } from "node:timers/promises";
import { FairleadError } from "@fairlead/contract";
import type { Engine, HostInfo } from "@fairlead/engine";
import type { SessionRow } from "@fairlead/journal";
import { z } from "zod";
import type { CliContext } from "../../cli-context.ts";
import { cliExitCodes } from "../../exit-codes.ts";
import { describeMissingPlaces } from "./describe-missing-places.ts";
import { findHost, findOpenSession } from "./find-host.ts";
import { prepareFleetEngine } from "./open-fleet-engine.ts";
import { readAliveHosts, readHostStates, readOpenRows } from "./status/read-hosts.ts";

const DrainReply = z.object({
  moved: z.array(z.string()),
  ended: z.array(z.string()),
  left: z.array(z.object({ session: z.string(), reason: z.string() })),
});
const UndoReply = z.object({ wasDraining: z.boolean() });
const MoveReply = z.union([z.enum(["moved", "ended", "paused"]), z.object({ reason: z.string() })]);

const progressPause = 5_000;

/** Has a host end the turns of its sessions and move them to other hosts of its pool. It can take minutes. */
export async function drainHost(context: CliContext, file: string, host: string, json: boolean): Promise<number> {
  const { screen } = context;
  const open = await prepareFleetEngine(context, file);
  await using engine = await open("drain");
  const { drainMethod, hostAddress } = await import("@fairlead/daemon/fleet");
  const { id, owner } = await findHost(await readAliveHosts(engine), host);
  const ended = new AbortController();
  const progress = json ? Promise.resolve() : showProgress(engine, owner, (text) => screen.message(text), ended.signal);
  try {
    const call = { method: drainMethod, params: {} };
    const reply = DrainReply.parse(await engine.bus.call(hostAddress(id), call, new AbortController().signal));
    ended.abort();
    await progress;
    if (json) screen.json({ host: id, ...reply });
    else {
      screen.line(`Moved ${count(reply.moved.length)} of ${id}; ${reply.ended.length} ended meanwhile.`);
      for (const { session, reason } of reply.left) screen.message(`${session} stays: ${reason}`);
      const places = reply.left.length === 0 ? null : describeMissingPlaces(await readHostStates(engine), id);
      if (places !== null) screen.message(places);
      if (reply.left.length === 0) screen.printHint(`The host takes no more work. Stop its process to remove it.`);
      screen.printHint(`Have it take work again with: fairlead fleet drain ${id} --undo --fleet ${file}`);
    }
    return reply.left.length === 0 ? cliExitCodes.success : cliExitCodes.failed;
  } finally {
    ended.abort();
    await progress;
  }
}

/** Has a drained host take work again. Sessions that have moved stay where they are. */
export async function undoDrain(context: CliContext, file: string, host: string, json: boolean): Promise<number> {
  const { screen } = context;
  const open = await prepareFleetEngine(context, file);
  await using engine = await open("drain");
  const { hostAddress, undoDrainMethod } = await import("@fairlead/daemon/fleet");
  const { id } = await findHost(await readAliveHosts(engine), host);
  const call = { method: undoDrainMethod, params: {} };
  const reply = await engine.bus.call(hostAddress(id), call, new AbortController().signal);
  const { wasDraining } = UndoReply.parse(reply);
  if (json) screen.json({ host: id, state: "ready" });
  else screen.line(wasDraining ? `${id} takes work again.` : `${id} is not draining.`);
  return cliExitCodes.success;
}

/** Moves one session to another host of its pool. */
export async function moveSession(context: CliContext, file: string, session: string, json: boolean): Promise<number> {
  const { screen } = context;
  const open = await prepareFleetEngine(context, file);
  await using engine = await open("move");
  const [{ hostAddress, moveMethod }, { hostOfOwner }] = await Promise.all([
    import("@fairlead/daemon/fleet"),
    import("@fairlead/nats"),
  ]);
  const row = await findOpenSession(engine, session);
  const host = hostOfOwner(row.owner) ?? row.owner;
  if (row.state === "paused") {
    const advice = "Resume it first. If its host is gone, the resume itself moves it.";
    throw new FairleadError(
      "conflict",
      `Session ${row.session} is paused, so no agent of it could leave ${host}. ${advice}`,
    );
  }
  const call = { method: moveMethod, params: { session: row.session } };
  const address = hostAddress(host);
  const answer = await engine.bus.call(address, call, new AbortController().signal).catch(async (error: unknown) => {
    // The bus calls whatever it reaches a session. An error of the host itself does not name its address.
    const isSilent = FairleadError.is(error, "unavailable") && error.message.includes(address);
    throw isSilent ? createSilentHostError(row, host, await readAliveHosts(engine)) : error;
  });
  const reply = MoveReply.parse(answer);
  const outcome = typeof reply === "string" ? { outcome: reply } : { outcome: "left", reason: reply.reason };
  if (json) screen.json({ session: row.session, from: host, ...outcome });
  else if (reply === "moved") screen.line(`Moved ${row.session} away from ${host}.`);
  else if (reply === "ended") screen.line(`${row.session} has ended meanwhile.`);
  else if (reply === "paused") screen.line(`${row.session} was paused meanwhile, so no agent of it runs on ${host}.`);
  else screen.message(`${row.session} stays on ${host}: ${reply.reason}`);
  return reply === "moved" ? cliExitCodes.success : cliExitCodes.failed;
}

/** Creates the error for a move whose host does not answer: with what happens to the session, or what to do. */
function createSilentHostError(
  { session, owner }: SessionRow,
  host: string,
  alive: ReadonlyMap<string, HostInfo>,
): FairleadError {
  const info = alive.get(owner);
  const reason =
    info === undefined
      ? "the host is not in the fleet now. It moves without this command when a gateway has seen that its host is lost."
      : info.absent === true
        ? "the process of the host is stopped. It moves when the time that the host announced is over, or after the next start of the host."
        : "the host does not answer. Try again later.";
  return new FairleadError("unavailable", `Session ${session} cannot leave ${host}, because ${reason}`);
}

/** Prints how many sessions a host still has, whenever the number has changed. Never rejects. */
async function showProgress(
  engine: Engine,
  owner: string,
  show: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let before: number | undefined;
  while (!signal.aborted) {
    try {
      let left = 0;
      for await (const row of readOpenRows(engine)) if (row.owner === owner) left++;
      if (left !== before && !signal.aborted) show(left === 0 ? "No session is left." : `${count(left)} left.`);
      before = left;
    } catch {
      // The servers elect a leader: the next look succeeds.
    }
    await delay(progressPause, undefined, { signal }).catch(() => {});
  }
}

function count(sessions: number): string {
  return sessions === 1 ? "1 session" : `${sessions} sessions`;
}
