import { emptyKeyedMap, keyedMap, type KeyedMap } from "@fairlead/contract";
import type { Proof } from "../../measure/claim.ts";
import { median } from "../../measure/quantile.ts";
import { describeMachine } from "../daemon/machine.ts";
import { readSize } from "../daemon/size.ts";
import { acpStream, appServerStream, streamJsonStream, type AgentStream } from "./agent-streams.ts";
import { measureCommands, measureTurn, type CallOrder, type TurnCost } from "./turn-cost.ts";

const few = 500;
const many = readSize("calls", 20_000);
const repetitions = readSize("repetitions", 13);
const maxGrowth = 1.3;

export const turnsBound = `time per event at ${many} calls in one turn ≤ ${maxGrowth} × that at ${few}, one after another and all open at once; control: calls in a plain object grow more`;

/** The cost per event of a long turn relative to short ones, for one agent. */
export interface TurnGrowth {
  readonly label: string;
  /** Processor time per event in short turns and in a long one, in microseconds. */
  readonly short: number;
  readonly long: number;
  readonly ratio: number;
  /** The same ratio by the clock. */
  readonly clockRatio: number;
}

/** Proves that an event costs the same however long its turn is. */
export async function proveTurns(): Promise<Proof> {
  const growths = measureTurns();
  const control = compare("calls in a plain object", measurePlainObject);
  const map = compare("calls in a keyed map", measureKeyedMap);
  return {
    measured: `${[...growths, map].map(describe).join("; ")}; control: ${describe(control)}; ${describeMachine()}`,
    holds: growths.every(({ ratio }) => ratio <= maxGrowth) && control.ratio > maxGrowth,
  };
}

/** Measures all agents whose dialects differ, with calls one after another and, where they can, all open at once. */
export function measureTurns(): TurnGrowth[] {
  const streams: (() => AgentStream)[] = [
    () => acpStream("opencode"),
    () => acpStream("openai-api"),
    streamJsonStream,
    appServerStream,
  ];
  const orders: readonly CallOrder[] = ["one after another", "all at once"];
  const turns = streams.flatMap((create) =>
    orders.map((order) => compare(`${create().agent}, ${order}`, (calls) => measureTurn(create(), calls, order))),
  );
  // A shell runs one command per turn, so its turns take the place of calls.
  return [...turns, compare("shell, one turn after another", (turnCount) => measureCommands("shell", turnCount))];
}

/**
 * Measures the same number of calls in short turns and in one long turn, so that nothing but the length differs. Both take
 * turns, and the ratio is the median of the ratios of neighbors, because the speed of a shared machine changes.
 */
function compare(label: string, measure: (size: number) => TurnCost): TurnGrowth {
  const inShortTurns = (): TurnCost[] => Array.from({ length: many / few }, () => measure(few));
  inShortTurns(); // compiles the code
  measure(many);
  const runs = Array.from({ length: repetitions }, () => ({ short: inShortTurns(), long: measure(many) }));
  const mean = (costs: readonly TurnCost[], of: (cost: TurnCost) => number): number =>
    costs.reduce((sum, cost) => sum + of(cost), 0) / costs.length;
  const medianRatio = (of: (cost: TurnCost) => number): number =>
    median(runs.map(({ short, long }) => of(long) / mean(short, of)));
  const processorTime = ({ microseconds }: TurnCost): number => microseconds;
  const growth = {
    label,
    short: median(runs.map(({ short }) => mean(short, processorTime))),
    long: median(runs.map(({ long }) => processorTime(long))),
    ratio: medianRatio(processorTime),
    clockRatio: medianRatio(({ clock }) => clock),
  };
  console.log(describe(growth));
  return growth;
}

/** The cost of opening and closing calls in a plain object that each change copies. */
function measurePlainObject(calls: number): TurnCost {
  // Each copy takes time for every call, so that a turn of the full length would take minutes.
  const count = Math.min(calls, 10 * few);
  let open: Readonly<Record<string, number>> = {};
  return measureChanges(count, (call) => (open = { ...open, [`c${call}`]: call }));
}

function measureKeyedMap(calls: number): TurnCost {
  let open: KeyedMap<number> = emptyKeyedMap;
  return measureChanges(calls, (call) => (open = keyedMap.set(open, `c${call}`, call)));
}

function measureChanges(count: number, change: (call: number) => void): TurnCost {
  const began = performance.now();
  const startedAt = process.cpuUsage();
  for (let call = 0; call < count; call += 1) change(call);
  const { user, system } = process.cpuUsage(startedAt);
  const clock = ((performance.now() - began) * 1000) / count;
  return { events: count, microseconds: (user + system) / count, clock };
}

function describe({ label, short, long, ratio, clockRatio }: TurnGrowth): string {
  return `${label} ${ratio.toFixed(2)} × (${short.toFixed(1)} to ${long.toFixed(1)} µs; ${clockRatio.toFixed(2)} × by the clock)`;
}
