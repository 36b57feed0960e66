import assert from "node:assert/strict";
import { basename } from "node:path";
import { Event, lawful } from "@fairlead/contract";
import type { Adapter, ClauseId, Draft, Effect, LaunchLine, SpoolRecord } from "@fairlead/contract";
import { Fold, type FoldState } from "@fairlead/kit";
import { draftsOf, lines, toldOf, toLines } from "./recording.ts";
import type { Finding } from "./verdict.ts";

/** A recording, with the events that were recorded with it if it is an old one. */
export interface Recital {
  readonly name: string;
  readonly records: readonly SpoolRecord[];
  readonly expected?: string;
}

type Check = (adapter: Adapter, recital: Recital) => void;

/** What any recording must show, without any program being run. */
export const recitalChecks: Readonly<Partial<Record<ClauseId, Check>>> = {
  "session:lawful"(adapter, { records }) {
    const events = draftsOf(adapter, records).map((draft, at) => ({ ...draft, sequence: at + 1, epoch: 1 }));
    for (const event of events) Event.parse(event);
    assert.deepEqual(lawful(events), []);
  },
  "dialect:lawful"(adapter, { records }) {
    const unlawful = draftsOf(adapter, records).filter(
      ({ body }) => body.type === "unrecognized" && body.reason.startsWith("unlawful"),
    );
    assert.deepEqual(unlawful, []);
  },
  "dialect:pure"(adapter, { records }) {
    const whole = new Fold(adapter);
    const once = records.map((record) => whole.take(record));
    let state: FoldState | undefined;
    const again = records.map((record) => {
      const fold = new Fold(adapter, state);
      const folded = fold.take(record);
      state = JSON.parse(JSON.stringify(fold.state)) as FoldState;
      return folded;
    });
    assert.deepEqual(again, once);
    assert.deepEqual(state, JSON.parse(JSON.stringify(whole.state)));
  },
  "dialect:hostile"(adapter, { records }) {
    for (const line of hostileLines) {
      for (const at of [2, Math.ceil(records.length / 2), records.length - 1]) {
        const fold = new Fold(adapter);
        for (const record of records.slice(0, at)) fold.take(record);
        const over = fold.state.ledger.over || fold.state.opening === null;
        const last = records[at - 1];
        if (over || last === undefined) continue;
        const hostile: SpoolRecord = {
          ...last,
          seq: last.seq + 1,
          kind: "out",
          id: "",
          bytes: typeof line === "string" ? Buffer.from(line) : line,
        };
        const events = fold.take(hostile).told.filter((one): one is Draft => "body" in one);
        assert.ok(events.length <= 1, `${events.length} events for one bad line`);
      }
    }
  },
  "dialect:steady"(adapter, { records, expected }) {
    if (expected === undefined) throw new Error("There is nothing to compare it with.");
    const now = toLines(toldOf(adapter, records));
    sameOrders(adapter, records);
    assert.deepEqual(
      lines(now).map((line) => JSON.parse(line) as unknown),
      lines(expected).map((line) => JSON.parse(line) as unknown),
    );
  },
};

/** Everything that was said to the agent in a recording was ordered by the dialect, to the letter. */
function sameOrders(adapter: Adapter, records: readonly SpoolRecord[]): void {
  const fold = new Fold(adapter);
  const orders = new Map(records.flatMap((record) => fold.take(record).orders).map(({ id, effect }) => [id, effect]));
  for (const { id, kind, bytes } of records) {
    const text = Buffer.from(bytes).toString("utf8");
    const effect = orders.get(kind === "note" ? id.replace(/^alarm-/, "") : id);
    if (kind === "in") assert.deepEqual(effect, { type: "say", text });
    if (kind === "hangup" && id !== "") assert.deepEqual(effect, { type: "hangup" });
    if (kind === "note" && id.startsWith("alarm-")) assert.equal(effect?.type, "alarm");
    if (kind === "launch") assert.deepEqual(launchOf(effect), plainLaunch(JSON.parse(text) as LaunchLine));
  }
}

function launchOf(effect: Effect | undefined): object | undefined {
  return effect?.type === "launch" ? plainLaunch(effect.line) : effect;
}

/** Without what differs from machine to machine: the folders of programs, and what the environment holds. */
function plainLaunch({ program, args, cwd, stdin }: LaunchLine): object {
  return {
    program: basename(program),
    args: args.map((arg) => (arg.startsWith("/") ? basename(arg) : arg)),
    cwd,
    stdin,
  };
}

const hostileLines = [
  "\n",
  "not JSON at all\n",
  '{"type":\n',
  "null\n",
  "[]\n",
  "12\n",
  '"text"\n',
  "{}\n",
  '{"type":null}\n',
  '{"type":"nothing-anyone-knows"}\n',
  '{"type":"__proto__","__proto__":{"polluted":true}}\n',
  '{"type":"constructor","constructor":{"prototype":{"polluted":true}}}\n',
  `${"[".repeat(5000)}${"]".repeat(5000)}\n`,
  "\u001b[2J\u001b]0;title\u0007\u0000\n",
  Buffer.from([0xff, 0xfe, 0x80, 0x0a]),
];

export function recite(adapter: Adapter, recital: Recital): Finding[] {
  const checks = (Object.entries(recitalChecks) as [ClauseId, Check][]).filter(
    ([clause]) => clause !== "dialect:steady" || recital.expected !== undefined,
  );
  return checks.map(([clause, check]) => {
    try {
      check(adapter, recital);
      return { clause, scenario: recital.name, broken: null };
    } catch (error) {
      return { clause, scenario: recital.name, broken: error instanceof Error ? error.message : String(error) };
    }
  });
}
