import { findViolations, type EventDraft, type Event, type SpoolRecord } from "@fairlead/contract";
import { SessionReducer, type PendingEffect } from "@fairlead/reducer";
import { scriptedAdapter, type SimulatedDaemon } from "./simulated-daemon.ts";
import type { Simulation } from "./simulation.ts";
import type { SimulatedWorld } from "./simulated-world.ts";

/** Reduces a spool from its first record: the events and effects that it implies. */
function reduceRecords(records: readonly SpoolRecord[]): {
  events: EventDraft[];
  effects: PendingEffect[];
  isOver: boolean;
} {
  const reducer = new SessionReducer(scriptedAdapter);
  const reductions = records.map((record) => reducer.reduce(record));
  const events = reductions.flatMap(({ outputs }) => outputs.filter((output) => "body" in output));
  return {
    events,
    effects: reductions.flatMap(({ pendingEffects }) => pendingEffects),
    isOver: reducer.state.ledger.over,
  };
}

/** Finds effects that were not executed, in a session that is still open after the faults have ended. */
export function findUnfinishedEffects({ records, machine }: SimulatedWorld): string[] {
  const { effects, isOver } = reduceRecords(records);
  if (isOver) return [];
  const executedIds = new Set(records.map(({ id }) => id));
  return effects
    .filter(({ effect }) => effect.type !== "alarm" && effect.type !== "disarm")
    .filter(({ id }) => !executedIds.has(id) && !machine.impossibleRequests.has(id))
    .map(({ id, effect }) => `effect ${id} was never executed: ${effect.type}`);
}

/** Describes the errors that made actors stop when they should not have. */
export function findDaemonFailures(daemons: readonly SimulatedDaemon[]): string[] {
  return daemons
    .filter(({ isAtFault }) => isAtFault)
    .map(
      ({ name, cause }) =>
        `${name} stopped: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`,
    );
}

type Invariant = (simulation: Simulation, records: readonly SpoolRecord[]) => string[];

const invariants: Readonly<Record<string, Invariant>> = {
  "the journal is valid and complete": ({ world }) =>
    findViolations(world.journal.events, { complete: true }).map(
      ({ sequence, message }) => `event ${sequence}: ${message}`,
    ),

  "the journal has exactly the events of the spool": ({ world }, records) => {
    const expected = reduceRecords(records).events.map((event) => JSON.stringify(event));
    const actual = world.journal.events.map((event) => JSON.stringify(withoutSequence(event)));
    const longer = expected.length > actual.length ? expected : actual;
    const at = longer.findIndex((_, index) => expected[index] !== actual[index]);
    if (at === -1) return [];
    return [`event ${at + 1} is ${actual[at] ?? "missing"}, but the spool implies ${expected[at] ?? "none"}`];
  },

  // A loss of power removes records, but not what an agent received before it.
  "each agent received the recorded input, once and in order": ({ world: { machine } }, records) =>
    [...Map.groupBy(machine.deliveries, ({ process }) => process)].flatMap(([process, deliveries]) => {
      const keeper = deliveries.at(-1)?.keeper ?? 0;
      const received = deliveries.filter((delivery) => delivery.keeper === keeper).map(({ text }) => text);
      const recorded = records.filter((record) => record.kind === "in" && record.process === process).map(textOf);
      const mayHaveLostRecords = keeper <= machine.lastKeeperBeforePowerLoss;
      if (startsWith(recorded, received) || (mayHaveLostRecords && startsWith(received, recorded))) return [];
      return [`process ${process} received ${JSON.stringify(received)}, but the spool has ${JSON.stringify(recorded)}`];
    }),

  "input reaches an agent whose stdin is open": ({ world: { machine } }) =>
    machine.undelivered.map((id) => `request ${id} was not delivered`),

  "no message and no answer reached an agent twice": ({ world: { machine } }) => {
    const deliveries = machine.deliveries.filter(
      ({ keeper, text }) => keeper > machine.lastKeeperBeforePowerLoss && !isInterrupt(text),
    );
    const keys = deliveries.map(({ text }) => (JSON.parse(text) as { decision?: string }).decision ?? text);
    return keys.filter((key, index) => keys.indexOf(key) !== index).map((key) => `${key} was delivered twice`);
  },

  "each acknowledged request is in the spool": ({ user, world }, records) => {
    const ids = new Set(records.map(({ id }) => id));
    const missing = [...user.outcomes.keys()].filter((id) => !ids.has(id) && !world.lostIds.has(id));
    return missing.map((id) => `${id} was acknowledged but is missing`);
  },

  "each published event is in the journal": ({ world, daemons }) =>
    daemons
      .flatMap(({ published }) => published)
      .filter((event) => JSON.stringify(event) !== JSON.stringify(world.journal.events[event.sequence - 1]))
      .map(
        ({ sequence, id }) =>
          `event ${sequence} (${id}) was published, but the journal has another event at that position`,
      ),

  "only the owner appended": ({ world }) => {
    let owner = "";
    let epoch = 0;
    return world.journal.batches.flatMap((batch) => {
      if (batch.events.length === 0) [owner, epoch] = [batch.owner, batch.epoch];
      if (batch.owner === owner && batch.epoch === epoch) return [];
      return [
        `${batch.owner} appended event ${batch.first} in epoch ${batch.epoch}, but ${owner} owned epoch ${epoch}`,
      ];
    });
  },

  "each launch has an exit": (_, records) => {
    const lost = records.findLast((record) => record.kind === "note" && textOf(record).includes('"lost"'));
    return records
      .filter(({ kind }) => kind === "launch")
      .filter(({ seq }) => (lost?.seq ?? 0) < seq)
      .filter(({ process }) => !records.some((record) => record.kind === "exit" && record.process === process))
      .map(({ process }) => `process ${process} has no exit`);
  },

  "no agent is left running": ({ world }) =>
    world.machine.agents.flatMap((agent, index) => (agent.isAlive ? [`process ${index + 1} is alive`] : [])),
};

export function findInvariantViolations(simulation: Simulation): string[] {
  const { records } = simulation.world;
  return Object.entries(invariants).flatMap(([name, check]) =>
    check(simulation, records).map((violation) => `${name}: ${violation}`),
  );
}

function withoutSequence({ sequence: _sequence, epoch: _epoch, ...draft }: Event): EventDraft {
  return draft;
}

function textOf({ bytes }: SpoolRecord): string {
  return Buffer.from(bytes).toString("utf8");
}

function startsWith(whole: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((text, index) => text === whole[index]);
}

function isInterrupt(text: string): boolean {
  return text.includes('"type":"interrupt"');
}
