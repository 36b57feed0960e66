import { lawful, type Draft, type Event, type SpoolRecord } from "@fairlead/contract";
import { Fold, type Order } from "@fairlead/kit";
import { adapter, type Daemon } from "./daemon-for-test.ts";
import type { Simulation } from "./simulation-for-test.ts";
import type { World } from "./world-for-test.ts";

/** What follows from a spool alone. */
function fold(records: readonly SpoolRecord[]): { events: Draft[]; orders: Order[]; over: boolean } {
  const folding = new Fold(adapter);
  const all = records.map((record) => folding.take(record));
  const events = all.flatMap(({ told }) => told.filter((one) => "body" in one));
  return { events, orders: all.flatMap(({ orders }) => orders), over: folding.state.ledger.over };
}

/** Orders that nobody has carried out, in a session that goes on and where nothing goes wrong any more. */
export function undoneOrders({ records, house }: World): string[] {
  const { orders, over } = fold(records);
  if (over) return [];
  const done = new Set(records.map(({ id }) => id));
  return orders
    .filter(({ effect }) => effect.type !== "alarm" && effect.type !== "disarm")
    .filter(({ id }) => !done.has(id) && !house.senseless.has(id))
    .map(({ id, effect }) => `order ${id} was never carried out: ${effect.type}`);
}

/** What actors gave up for, where they should not have. */
export function faultsOf(daemons: readonly Daemon[]): string[] {
  return daemons
    .filter(({ isAtFault }) => isAtFault)
    .map(
      ({ name, cause }) =>
        `${name} gave up: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`,
    );
}

type Check = (simulation: Simulation, records: readonly SpoolRecord[]) => string[];

const checks: Readonly<Record<string, Check>> = {
  "the journal is lawful and whole": ({ world }) =>
    lawful(world.journal.events, { whole: true }).map(({ sequence, says }) => `event ${sequence}: ${says}`),

  "the journal is what the spool gives": ({ world }, records) => {
    const wanted = fold(records).events.map((event) => JSON.stringify(event));
    const found = world.journal.events.map((event) => JSON.stringify(draftOf(event)));
    const longer = wanted.length > found.length ? wanted : found;
    const at = longer.findIndex((_, index) => wanted[index] !== found[index]);
    if (at === -1) return [];
    return [`event ${at + 1} is ${found[at] ?? "missing"}, and the spool gives ${wanted[at] ?? "none"}`];
  },

  // A loss of power takes the records, but not the words that an agent has heard before it went.
  "each agent heard what the spool says, once and in order": ({ world: { house } }, records) =>
    [...Map.groupBy(house.delivered, ({ process }) => process)].flatMap(([process, all]) => {
      const keeper = all.at(-1)?.keeper ?? 0;
      const heard = all.filter((one) => one.keeper === keeper).map(({ text }) => text);
      const said = records.filter((record) => record.kind === "in" && record.process === process).map(textOf);
      if (begins(said, heard) || (keeper <= house.unpowered && begins(heard, said))) return [];
      return [`process ${process} heard ${JSON.stringify(heard)}, and was told ${JSON.stringify(said)}`];
    }),

  "whoever listens hears": ({ world: { house } }) => house.unheard.map((id) => `frame ${id} was not delivered`),

  "no message and no answer reached an agent twice": ({ world: { house } }) => {
    const powered = house.delivered.filter(({ keeper, text }) => keeper > house.unpowered && !isInterrupt(text));
    const keys = powered.map(({ text }) => (JSON.parse(text) as { decision?: string }).decision ?? text);
    return keys.filter((key, index) => keys.indexOf(key) !== index).map((key) => `${key} was delivered twice`);
  },

  "what was answered stands in the spool": ({ user, world }, records) => {
    const ids = new Set(records.map(({ id }) => id));
    const missing = [...user.answered.keys()].filter((id) => !ids.has(id) && !world.lostIds.has(id));
    return missing.map((id) => `${id} was answered and is not there`);
  },

  "what was published is in the journal": ({ world, daemons }) =>
    daemons
      .flatMap(({ published }) => published)
      .filter((event) => JSON.stringify(event) !== JSON.stringify(world.journal.events[event.sequence - 1]))
      .map(({ sequence, id }) => `event ${sequence} (${id}) was published, and the journal has another there`),

  "only the owner wrote": ({ world }) => {
    let owner = "";
    let epoch = 0;
    return world.journal.frames.flatMap((frame) => {
      if (frame.events.length === 0) [owner, epoch] = [frame.owner, frame.epoch];
      if (frame.owner === owner && frame.epoch === epoch) return [];
      return [`${frame.owner} wrote event ${frame.first} in epoch ${frame.epoch}, when ${owner} owned epoch ${epoch}`];
    });
  },

  "each launch has an end": (_, records) => {
    const lost = records.findLast((record) => record.kind === "note" && textOf(record).includes('"lost"'));
    return records
      .filter(({ kind }) => kind === "launch")
      .filter(({ seq }) => (lost?.seq ?? 0) < seq)
      .filter(({ process }) => !records.some((record) => record.kind === "exit" && record.process === process))
      .map(({ process }) => `process ${process} has no exit`);
  },

  "nobody is left behind": ({ world }) =>
    world.house.agents.flatMap((agent, index) => (agent.alive ? [`process ${index + 1} is alive`] : [])),
};

export function finalViolations(simulation: Simulation): string[] {
  const { records } = simulation.world;
  return Object.entries(checks).flatMap(([name, check]) =>
    check(simulation, records).map((violation) => `${name}: ${violation}`),
  );
}

function draftOf({ sequence: _sequence, epoch: _epoch, ...draft }: Event): Draft {
  return draft;
}

function textOf({ bytes }: SpoolRecord): string {
  return Buffer.from(bytes).toString("utf8");
}

function begins(whole: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((text, index) => text === whole[index]);
}

function isInterrupt(text: string): boolean {
  return text.includes('"type":"interrupt"');
}
