import { adapters } from "@fairlead/adapters";
import type { Note, Opening, ProbeResult, RecordKind, SpoolRecord } from "@fairlead/contract";
import { SessionReducer, type Reduction } from "@fairlead/reducer";
import { SummaryReducer } from "@fairlead/runtime";
import type { AgentStream } from "./agent-streams.ts";

/** Whether each call of a turn ends before the next one begins, or all are open at once. */
export type CallOrder = "one after another" | "all at once";

/** The cost of a turn per event, in microseconds. */
export interface TurnCost {
  readonly events: number;
  /** Processor time. */
  readonly microseconds: number;
  /** Time by the clock. */
  readonly clock: number;
}

/** Reduces a turn with this many calls, as an actor does, and measures the calls without the opening. */
export function measureTurn(stream: AgentStream, calls: number, order: CallOrder): TurnCost {
  const driver = new ReducerDriver(stream);
  driver.open();
  const before = driver.events;
  const began = performance.now();
  const startedAt = process.cpuUsage();
  const numbers = Array.from({ length: calls }, (_, call) => call);
  if (order === "one after another") {
    for (const call of numbers) driver.write([...stream.begin(call), ...stream.end(call)]);
  } else {
    for (const call of numbers) driver.write(stream.begin(call));
    for (const call of numbers) driver.write(stream.end(call));
  }
  driver.write(stream.finish());
  const { user, system } = process.cpuUsage(startedAt);
  const clock = (performance.now() - began) * 1000;
  const events = driver.events - before;
  if (events < 3 * calls) throw new Error(`${stream.agent}: ${calls} calls became only ${events} events.`);
  return { events, microseconds: (user + system) / events, clock: clock / events };
}

/** Reduces a session of an agent whose turns are single commands, one process each, and measures all turns. */
export function measureCommands(agent: string, commands: number): TurnCost {
  const nothing = (): readonly object[] => [];
  const driver = new ReducerDriver({ agent, reply: nothing, begin: nothing, end: nothing, finish: nothing });
  driver.open();
  const before = driver.events;
  const began = performance.now();
  const startedAt = process.cpuUsage();
  for (let turn = 0; turn < commands; turn += 1) driver.runCommand(`turn-${turn}`);
  const { user, system } = process.cpuUsage(startedAt);
  const clock = (performance.now() - began) * 1000;
  const events = driver.events - before;
  if (events < 3 * commands) throw new Error(`${agent}: ${commands} commands became only ${events} events.`);
  return { events, microseconds: (user + system) / events, clock: clock / events };
}

/** Feeds records to a reducer and its events to a summary, and answers what the adapter writes. */
export class ReducerDriver {
  events = 0;
  readonly #stream: AgentStream;
  readonly #reducer: SessionReducer;
  readonly #summary = new SummaryReducer();
  #seq = 0;

  constructor(stream: AgentStream) {
    this.#stream = stream;
    const adapter = adapters.find(({ manifest }) => manifest.id === stream.agent);
    if (adapter === undefined) throw new Error(`There is no adapter ${stream.agent}.`);
    this.#reducer = new SessionReducer(adapter);
    const settings = adapter.manifest.settings.parse({}) as Opening["settings"];
    const program = `/usr/bin/${stream.agent}`;
    const { flags = [] } = stream;
    const probeResult: ProbeResult = {
      installed: true,
      program,
      version: null,
      flags: [...flags],
      auth: "none",
      problems: [],
    };
    const { version: adapterVersion } = adapter.manifest;
    this.#note({
      type: "opening",
      opening: {
        session: "s",
        name: null,
        agent: stream.agent,
        adapterVersion,
        workspace: "/w",
        mode: "default",
        settings,
        probeResult,
        continues: null,
      },
    });
  }

  /** Starts the agent and sends a message, and answers until the turn is open. */
  open(): void {
    this.#note({ type: "command", command: { type: "open" } });
    this.#record("launch", JSON.stringify({ pid: 1 }));
    this.#note({ type: "command", command: { type: "send", turn: "t", text: "go" } });
  }

  /** One turn of an agent that starts a process per message. */
  runCommand(turn: string): void {
    this.#note({ type: "command", command: { type: "send", turn, text: "ls" } });
    this.#record("launch", JSON.stringify({ pid: 1 }));
    this.#record("out", "a.txt\n");
    this.#record("exit", JSON.stringify({ code: 0, signal: null }));
  }

  write(lines: readonly object[]): void {
    if (lines.length > 0) this.#record("out", lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }

  #note(note: Note): void {
    this.#record("note", JSON.stringify(note));
  }

  #record(kind: RecordKind, text: string): void {
    this.#seq += 1;
    const record: SpoolRecord = {
      seq: this.#seq,
      kind,
      process: 1,
      at: 1_700_000_000_000 + this.#seq,
      id: kind === "note" ? `n${this.#seq}` : "",
      bytes: Buffer.from(text),
    };
    this.#apply(this.#reducer.reduce(record));
  }

  #apply({ outputs, pendingEffects }: Reduction): void {
    for (const output of outputs) {
      if (!("body" in output)) continue;
      this.events += 1;
      this.#summary.add(output);
    }
    for (const { effect } of pendingEffects) {
      if (effect.type === "write")
        for (const line of effect.text.trim().split("\n")) this.write(this.#stream.reply(line));
    }
  }
}
