import type { ErrorCode, Ledger, Open, Wish } from "@fairlead/contract";
import { describe, expect, test } from "vitest";
import { emptyFold, type FoldState } from "./fold-state.ts";
import { objection } from "./objection.ts";

const open = (scope: Open["scope"], key = ""): Open => ({ scope, key, name: "", marks: [] });
const ledger = (...inside: Open[]): Ledger => ({ over: false, open: [open("session"), ...inside] });
const state = (change: Partial<FoldState>): FoldState => ({ ...emptyFold, ...change });

const states = {
  quiet: state({ ledger: ledger() }),
  "in a turn": state({ ledger: ledger(open("turn", "t")) }),
  "asking d": state({ ledger: ledger(open("turn", "t"), open("decision", "d")) }),
  "asking something else": state({ ledger: ledger(open("turn", "t"), open("decision", "e")) }),
  "leaving for a pause": state({ ledger: ledger(), aim: "pause" }),
  paused: state({ ledger: ledger(open("pause")), aim: "pause" }),
  "coming back": state({ ledger: ledger(open("pause")), aim: "run" }),
  "with a conversation": state({ ledger: ledger(), agentSessionId: "n" }),
  "giving way to a person": state({ ledger: ledger(), agentSessionId: "n", aim: "take-over" }),
  "led by a person": state({ ledger: ledger(open("lead")), agentSessionId: "n", aim: "take-over" }),
  "coming back from a person": state({ ledger: ledger(open("lead")), agentSessionId: "n" }),
  "leaving for good": state({ ledger: ledger(), aim: "end" }),
  "leaving for good mid-turn": state({ ledger: ledger(open("turn", "t"), open("decision", "d")), aim: "end" }),
  over: state({ ledger: { over: true, open: [] }, aim: "end" }),
  "over by itself": state({ ledger: { over: true, open: [] }, aim: "run" }),
} satisfies Record<string, FoldState>;
type StateName = keyof typeof states;

const wishes: { readonly [Type in Wish["type"]]: Extract<Wish, { type: Type }> } = {
  open: { type: "open" },
  send: { type: "send", turn: "u", text: "do" },
  steer: { type: "steer", text: "rather" },
  inject: { type: "inject", text: "by the way" },
  answer: { type: "answer", decision: "d", answer: { type: "allow" }, by: "user" },
  interrupt: { type: "interrupt" },
  pause: { type: "pause" },
  resume: { type: "resume" },
  "take-over": { type: "take-over", size: { columns: 80, rows: 24 } },
  "hand-back": { type: "hand-back" },
  end: { type: "end" },
};

/** The states in which a wish is granted, and what is said in all others that are not an end. */
const granted: { readonly [Type in Wish["type"]]: readonly [ErrorCode | null, ...StateName[]] } = {
  open: [null],
  end: [null],
  inject: [null],
  send: [
    "session-paused",
    "quiet",
    "in a turn",
    "asking d",
    "asking something else",
    "coming back",
    "with a conversation",
  ],
  pause: [
    "session-paused",
    "quiet",
    "in a turn",
    "asking d",
    "asking something else",
    "coming back",
    "with a conversation",
  ],
  resume: ["session-not-paused", "paused"],
  interrupt: ["no-open-turn", "in a turn", "asking d", "asking something else"],
  steer: ["no-open-turn", "in a turn", "asking d", "asking something else"],
  answer: ["decision-not-open", "asking d"],
  "take-over": ["no-conversation", "with a conversation"],
  "hand-back": ["not-taken-over", "led by a person", "coming back from a person"],
};

const taken: readonly StateName[] = ["giving way to a person", "led by a person", "coming back from a person"];
const alwaysHeard: readonly Wish["type"][] = ["end", "inject", "hand-back"];

describe.each(Object.entries(states) as [StateName, FoldState][])("while it is %s,", (name, now) => {
  test.each(Object.values(wishes))("$type is granted or refused as it should be", (wish) => {
    const [otherwise, ...where] = granted[wish.type];
    const ended = now.ledger.over || now.aim === "end";
    const refusal = taken.includes(name) && !alwaysHeard.includes(wish.type) ? "taken-over" : otherwise;
    const expected = ended ? "session-ended" : where.includes(name) ? null : refusal;
    expect(objection(now, wish)).toBe(expected);
  });
});

test("a conversation that is yet to be forked is not there to be taken over", () => {
  const continues = { session: "s0", agentSessionId: "n", outcome: "native", fork: true } as const;
  const forking = state({ ledger: ledger(), agentSessionId: "n", opening: { continues } as FoldState["opening"] });
  expect(objection(forking, wishes["take-over"])).toBe("no-conversation");
  expect(objection({ ...forking, agentSessionId: "own" }, wishes["take-over"])).toBeNull();
});
