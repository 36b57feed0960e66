import { setTimeout as wait } from "node:timers/promises";
import type { Event } from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import type { SeededRandom } from "../../measure/seeded-random.ts";
import { isCaught } from "../daemon/faulty-client.ts";
import { mapConcurrently } from "../daemon/map-concurrently.ts";
import { SessionFollower } from "../daemon/session-follower.ts";
import { addLosses, countLosses, noLosses, type ViewLosses } from "../daemon/view-losses.ts";
import { CommandSender } from "./command-sender.ts";
import { compareLists, countTurns, readList, readLog } from "./fleet-views.ts";
import { GatewayFleet } from "./gateway-fleet.ts";
import type { RoamingTransport } from "./roaming-transport.ts";

export interface GatewayRunOptions {
  readonly random: SeededRandom;
  readonly sessions: number;
  readonly reconnects: number;
  /** Sent messages and starts. */
  readonly messages: number;
  readonly starts: number;
  readonly killsPerGateway: number;
}

export interface GatewayRun {
  readonly seconds: number;
  /** How often each gateway was killed. */
  readonly kills: readonly number[];
  readonly cuts: number;
  readonly reconnects: number;
  readonly followers: number;
  readonly events: number;
  readonly losses: ViewLosses;
  /** What differs between the lists of the gateways and the log. */
  readonly listDifferences: readonly string[];
  /** Faulty clients whose view differed. */
  readonly caught: number;
  readonly commands: number;
  /** Turns in the log with the text of a command. */
  readonly effects: number;
  /** Commands without a turn, and with more than one. */
  readonly missing: number;
  readonly doubled: number;
  /** Sessions in the log, of those that were to be started. */
  readonly startedSessions: number;
  readonly expectedSessions: number;
  readonly answers: number;
  readonly contradicted: number;
  readonly answeredErrors: Readonly<Record<string, number>>;
  readonly control: { readonly commands: number; readonly effects: number };
  /** Errors in the logs of hosts and gateways. */
  readonly loggedErrors: readonly string[];
}

interface Follower extends SessionFollower {
  readonly session: string;
}

const isTurnEnd = ({ body }: Event): boolean => body.type === "turn.ended";
const hello = [{ text: "Hello." }];
/** Most of a second of events. */
const streamed = [{ flood: { lines: 20, rate: 25 } }];
/** The copies of a gateway's index may be so old, in milliseconds. */
const listLimit = 15_000;
/** After so long, in milliseconds, the sessions end with fewer reconnects than asked for. */
const workLimit = 600_000;
/** The share of the reconnects that may be ahead of the share of the commands. */
const reconnectLead = 0.05;
const startWorkers = 2;
const controlCommands = 10;

/** Follows sessions and sends commands while gateways are killed and connections are cut, and then compares with the log. */
export async function runGateways(options: GatewayRunOptions): Promise<GatewayRun> {
  const { random, sessions: sessionCount, reconnects, messages, starts, killsPerGateway } = options;
  const begin = performance.now();
  const report = (text: string): void => console.log(`${((performance.now() - begin) / 1000).toFixed(0)} s: ${text}`);
  await using fleet = await GatewayFleet.start(random);
  const { gateways, workspace } = fleet;
  report("The fleet runs.");
  const { fairlead: patient } = fleet.connectToAny();
  const clients = fleet.connectToEach();
  const sessions = await mapConcurrently(4, Array.from({ length: sessionCount }), async () => {
    return (await patient.start({ agent: "scripted", workspace })).session;
  });
  report(`${sessions.length} sessions run.`);

  const transports: RoamingTransport[] = [];
  const followers: Follower[] = [];
  const follow = (session: string, changeSequence?: (after: number) => number): Follower => {
    const { fairlead, transport } = fleet.connectToAny(changeSequence);
    const follower = Object.assign(new SessionFollower(fairlead, session), { session });
    if (changeSequence !== undefined) return follower;
    transports.push(transport);
    followers.push(follower);
    return follower;
  };
  const countReconnects = (): number => transports.reduce((sum, transport) => sum + transport.reconnects, 0);

  const startedAt = performance.now();
  const done = new AbortController();
  const countKills = (): number => Math.min(...gateways.map(({ kills }) => kills));
  const hasEnough = (): boolean =>
    performance.now() - startedAt > workLimit || (countReconnects() >= reconnects && countKills() >= killsPerGateway);

  const sender = new CommandSender({ clients, patient, random, keys: "the same" });
  /** Distributes the reconnects over the time of the commands. */
  const isCutDue = (): boolean =>
    countReconnects() / reconnects < sender.commands.length / (messages + starts) + reconnectLead;
  const sendMessage = async (session: string, follower: Follower, text: string, seen: number): Promise<number> => {
    const message = withScript(text, streamed);
    const { repeat } = await sender.send(
      text,
      async (fairlead, command) => (await fairlead.send(session, message, command)).turn,
    );
    const end = await follower.waitForEvent(isTurnEnd, seen);
    await repeat();
    return end;
  };
  const useSession = async (session: string, index: number): Promise<void> => {
    const follower = follow(session);
    follow(session);
    let seen = 0;
    for (let number = index; number < messages; number += sessionCount)
      seen = await sendMessage(session, follower, `Message ${number}.`, seen);
    while (!hasEnough()) {
      await patient.send(session, withScript("Continue.", streamed));
      seen = await follower.waitForEvent(isTurnEnd, seen);
    }
  };
  const startSession = async (number: number): Promise<void> => {
    const text = `Start ${number}.`;
    const request = { agent: "scripted", workspace, prompt: withScript(text, hello) };
    const { effect, repeat } = await sender.send(
      text,
      async (fairlead, command) => (await fairlead.start(request, command)).session,
    );
    const follower = follow(effect);
    await follower.waitForEvent(isTurnEnd);
    await patient.stop(effect);
    await follower.finished;
    await repeat();
  };
  const controls = [() => 0, (after: number) => after + 1].map((change) => follow(sessions[0] ?? "", change));
  const working = Promise.all([
    ...sessions.map(useSession),
    mapConcurrently(startWorkers, [...Array(starts).keys()], startSession),
  ]).finally(() => done.abort());
  working.catch(() => {}); // reported below
  await Promise.all([
    working,
    killInTurn(gateways, random, done.signal),
    cutStreams(gateways, random, isCutDue, done.signal),
  ]);
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const counted = countReconnects();
  report(`${counted} reconnects and ${sender.commands.length} commands were made.`);

  const log = await readLog(fleet.engine);
  const listDifferences = await findListDifferences(clients, log);
  report("The lists were compared.");
  const control = await runControl(fleet, sessions[0] ?? "", random);
  report("The control has run.");
  await mapConcurrently(4, sessions, (session) => patient.stop(session));
  await Promise.all(followers.map(({ finished }) => finished));
  const caught = await Promise.all(controls.map(isCaught));
  const final = await readLog(fleet.engine);
  const turns = countTurns(final);
  const counts = sender.commands.map(({ text }) => turns.get(text) ?? 0);
  const losses = followers.map(({ session, events }) => countLosses(events, final.get(session) ?? []));
  return {
    seconds,
    kills: gateways.map(({ kills }) => kills),
    cuts: gateways.reduce((sum, { cutter }) => sum + cutter.cutCounts.any, 0),
    reconnects: counted,
    followers: followers.length,
    events: followers.reduce((sum, { events }) => sum + events.length, 0),
    losses: losses.reduce(addLosses, noLosses),
    listDifferences,
    caught: caught.filter(Boolean).length,
    commands: sender.commands.length,
    effects: counts.reduce((sum, count) => sum + count, 0),
    missing: counts.filter((count) => count === 0).length,
    doubled: counts.filter((count) => count > 1).length,
    startedSessions: final.size,
    expectedSessions: sessionCount + starts,
    answers: sender.commands.reduce((sum, { answers }) => sum + answers.length, 0),
    contradicted: sender.contradicted,
    answeredErrors: sender.errors,
    control,
    loggedErrors: [...fleet.hosts, ...gateways].flatMap(({ errors }) => errors),
  };
}

/** Kills one gateway after the other, each when the one before it answers again. */
async function killInTurn(
  gateways: GatewayFleet["gateways"],
  random: SeededRandom,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    for (const gateway of gateways) {
      // The rate of the kills; no condition depends on it.
      await wait(1000 + random.nextBelow(2000), undefined, { signal }).catch(() => {});
      if (!signal.aborted) await gateway.replace();
    }
  }
}

async function cutStreams(
  gateways: GatewayFleet["gateways"],
  random: SeededRandom,
  isDue: () => boolean,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await wait(random.nextBelow(80)); // the rate of the cuts; no condition depends on it
    if (!isDue()) continue;
    const gateway = gateways[random.nextBelow(gateways.length)];
    // Some cut connections carry commands.
    gateway?.cutter.cutOne(random.nextBelow(10) === 0 ? "any" : "streams");
  }
}

/** Returns the differences that remain: a row is in the copy of a gateway some time after its host has written it. */
async function findListDifferences(
  clients: readonly Parameters<typeof readList>[0][],
  log: Parameters<typeof compareLists>[1],
): Promise<string[]> {
  const end = performance.now() + listLimit;
  for (;;) {
    const differences = compareLists(await Promise.all(clients.map(readList)), log);
    if (differences.length === 0 || performance.now() > end) return differences;
    await wait(100);
  }
}

/** The control: sends each command with another key each time. The counter of effects must count all of them. */
async function runControl(fleet: GatewayFleet, session: string, random: SeededRandom): Promise<GatewayRun["control"]> {
  const { fairlead: patient } = fleet.connectToAny();
  const sender = new CommandSender({ clients: fleet.connectToEach(), patient, random, keys: "always new" });
  for (let number = 0; number < controlCommands; number += 1) {
    const message = withScript(`Control ${number}.`, hello);
    const { repeat } = await sender.send(
      `Control ${number}.`,
      async (fairlead, command) => (await fairlead.send(session, message, command)).turn,
    );
    await repeat();
  }
  const { turn } = await patient.send(session, withScript("Last.", hello)); // it is answered after all earlier ones
  for await (const one of patient.events(session, { follow: true }))
    if ("body" in one && one.body.type === "turn.ended" && one.body.turn === turn) break;
  const turns = countTurns(await readLog(fleet.engine));
  return {
    commands: sender.commands.length,
    effects: sender.commands.reduce((sum, { text }) => sum + (turns.get(text) ?? 0), 0),
  };
}
