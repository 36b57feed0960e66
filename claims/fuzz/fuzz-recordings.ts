import { performance } from "node:perf_hooks";
import { adapters } from "@fairlead/adapters";
import { readRecordings } from "@fairlead/conformance";
import {
  commandRules,
  Event,
  isSameJson,
  type Adapter,
  type Command,
  type Delta,
  type SpoolRecord,
} from "@fairlead/contract";
import {
  adapterFailurePrefix,
  initialSessionState,
  invalidEventPrefix,
  SessionReducer,
  type Reduction,
  type SessionState,
} from "@fairlead/reducer";
import { SeededRandom } from "../../measure/seeded-random.ts";
import { isExecutable } from "./effect-schema.ts";
import { emptyFuzzReport, type FuzzReport } from "./fuzz-report.ts";
import { mutateRecords } from "./mutate-records.ts";

export interface FuzzOptions {
  readonly seed: number;
  /** Number of the first case. A case depends only on the seed and its number. */
  readonly first: number;
  readonly count: number;
  /** Replaces an adapter, for a control. */
  readonly wrapAdapter?: (adapter: Adapter) => Adapter;
  /** Receives a sentence about each problem. */
  readonly onProblem?: (problem: string) => void;
}

/** A recording with the state before each record, so that a case does not repeat what precedes its first mutation. */
interface Prepared {
  readonly adapter: Adapter;
  readonly name: string;
  readonly records: readonly SpoolRecord[];
  readonly states: readonly SessionState[];
}

/** Records after a mutation that are reduced. More of them cost time and seldom meet the mutated state. */
const maxRecords = 40;

/** Reduces mutated recordings of all adapters and counts what must not happen. */
export function fuzzRecordings(options: FuzzOptions): FuzzReport {
  const prepared = prepareRecordings(options.wrapAdapter ?? ((adapter) => adapter));
  const tally = { ...emptyFuzzReport };
  for (let number = options.first; number < options.first + options.count; number += 1) {
    new FuzzCase(prepared, number, options, tally).run();
  }
  return tally;
}

function prepareRecordings(wrap: (adapter: Adapter) => Adapter): readonly [Prepared, ...Prepared[]] {
  const all = adapters.map(wrap).flatMap((adapter) => {
    const { id } = adapter.manifest;
    const folder = new URL(`../../packages/adapters/src/${id}/fixtures/`, import.meta.url);
    return readRecordings(folder).map(({ name, records }) => {
      const reducer = new SessionReducer(adapter);
      const states = records.map((record) => {
        const before = reducer.state;
        reducer.reduce(record);
        return before;
      });
      return { adapter, name: `${id}/${name}`, records, states };
    });
  });
  const [first, ...others] = all;
  if (first === undefined) throw new Error("There are no recordings.");
  return [first, ...others];
}

/** One mutated recording. */
class FuzzCase {
  readonly #number: number;
  readonly #random: SeededRandom;
  readonly #recording: Prepared;
  readonly #options: FuzzOptions;
  readonly #tally: { -readonly [Key in keyof FuzzReport]: FuzzReport[Key] };

  constructor(prepared: readonly [Prepared, ...Prepared[]], number: number, options: FuzzOptions, tally: FuzzReport) {
    this.#number = number;
    this.#random = new SeededRandom(Math.imul(options.seed, 0x9e3779b1) + number);
    this.#recording = this.#random.pick(prepared);
    this.#options = options;
    this.#tally = tally;
  }

  run(): void {
    const { adapter, records, states } = this.#recording;
    // The first record is the opening. The runtime refuses a spool without one as damaged.
    const from = 1 + this.#random.nextBelow(records.length - 1);
    const mutated = mutateRecords(records, from, this.#random).slice(from, from + maxRecords);
    const reducer = new SessionReducer(adapter, states[from] ?? initialSessionState);
    this.#tally.recordings += 1;
    for (const record of mutated) if (!this.#reduce(reducer, record)) return;
    const restored = this.#restore(adapter, reducer.state);
    for (const record of this.#createTail(from + mutated.length + 1)) if (!this.#reduce(restored, record)) return;
  }

  #reduce(reducer: SessionReducer, record: SpoolRecord): boolean {
    this.#tally.records += 1;
    const startedAt = performance.now();
    try {
      this.#check(reducer.reduce(record));
    } catch (error) {
      this.#report("exceptions", error instanceof Error ? (error.stack ?? error.message) : String(error));
      return false;
    }
    this.#tally.slowest = Math.max(this.#tally.slowest, performance.now() - startedAt);
    return true;
  }

  #check({ outputs, pendingEffects }: Reduction): void {
    for (const output of outputs) {
      if (!("body" in output)) {
        if (!isText(output)) this.#report("invalidEffects", `delta ${JSON.stringify(output)}`);
        continue;
      }
      this.#tally.events += 1;
      // As a reader of the journal gets it.
      const stored: unknown = JSON.parse(JSON.stringify({ ...output, sequence: 1, epoch: 1 }));
      const { error } = Event.safeParse(stored);
      if (error !== undefined) this.#report("invalidEvents", `${error.message} ${JSON.stringify(stored)}`);
      if (output.body.type !== "unrecognized") continue;
      const { reason, raw } = output.body;
      if (reason.startsWith(adapterFailurePrefix)) this.#report("fenced", `${reason} ${raw}`);
      if (reason.startsWith(invalidEventPrefix)) this.#report("caughtEvents", `${reason} ${raw}`);
    }
    for (const { effect } of pendingEffects)
      if (!isExecutable(effect)) this.#report("invalidEffects", JSON.stringify(effect));
  }

  /** What a person does next: a session must stay drivable and must be able to end. */
  #createTail(first: number): SpoolRecord[] {
    const note = (command: Command): Pick<SpoolRecord, "kind" | "bytes"> => ({
      kind: "note",
      bytes: Buffer.from(JSON.stringify({ type: "command", command, rules: commandRules })),
    });
    const exit = { kind: "exit", bytes: Buffer.from('{"code":0,"signal":null}') } as const;
    const launch = { kind: "launch", bytes: Buffer.from("{}") } as const;
    const by = { kind: "person" } as const;
    const steps = [
      note({ type: "send", turn: "fuzz-1", text: "Next." }),
      note({ type: "steer", text: "And?" }),
      note({ type: "interrupt", by }),
      note({ type: "pause", by }),
      exit,
      note({ type: "resume" }),
      launch,
      note({ type: "take-over", size: { columns: 80, rows: 24 }, by }),
      note({ type: "hand-back" }),
    ].filter(() => this.#random.nextBelow(4) === 0);
    return [...steps, note({ type: "end", by }), exit].map((step, index) => ({
      seq: first + index,
      process: 1,
      at: 1_800_000_000_000,
      id: `fuzz-${index}`,
      ...step,
    }));
  }

  /** Continues from a snapshot, as the next daemon does. */
  #restore(adapter: Adapter, state: SessionState): SessionReducer {
    const stored = JSON.parse(JSON.stringify(state)) as SessionState;
    if (!isSameJson(stored, state)) this.#report("invalidStates", "the state changes when it is stored");
    if (Object.keys(Object.prototype).length > 0) this.#report("invalidStates", "a prototype was changed");
    return new SessionReducer(adapter, stored);
  }

  #report(
    kind: "exceptions" | "fenced" | "invalidEvents" | "caughtEvents" | "invalidEffects" | "invalidStates",
    what: string,
  ): void {
    this.#tally[kind] += 1;
    this.#options.onProblem?.(`${kind}: case ${this.#number} of ${this.#recording.name}: ${what.slice(0, 1500)}`);
  }
}

function isText(delta: Delta): boolean {
  return typeof delta.text === "string";
}
