import type { AgentEvent, Delta, EventOf } from "@fairlead/contract";
import { describe, expect, it } from "vitest";
import { delta, journal } from "./events-for-test.ts";
import { Transcript, type TranscriptOptions } from "./transcript.ts";

type Item = AgentEvent | Delta;

/** What is written for these, with what goes to the error stream in brackets. */
function shown(items: readonly Item[], options: TranscriptOptions = {}): string {
  const transcript = new Transcript(options);
  const told = items.map((item) => (isDelta(item) ? item : journal(item)[0]!));
  const pieces = told.flatMap((item) => transcript.take(item));
  return pieces.map(({ to, text }) => (to === "err" ? `[${text.trimEnd()}]\n` : text)).join("");
}

function isDelta(item: Item): item is Delta {
  return item.type === "text.delta" || item.type === "reasoning.delta";
}

const requested = (call: string, name: string, input: unknown): AgentEvent => ({
  type: "tool.requested",
  call,
  name,
  input,
});
const ended = (call: string, name: string, output: string, reason?: "failed"): AgentEvent => ({
  type: "tool.ended",
  call,
  name,
  ok: reason === undefined,
  output,
  ...(reason && { reason }),
});
const approval = (call: string, tool: string, input: unknown): EventOf<"decision.requested"> => ({
  type: "decision.requested",
  decision: "d",
  kind: "approval",
  title: `${tool} something`,
  call,
  tool,
  input,
});

describe("text", () => {
  it("is shown as it comes, and not again when it is whole", () => {
    expect(shown([delta("Hel"), delta("lo"), { type: "text.ended", text: "Hello" }])).toBe("│ Hello\n");
  });

  it("is shown whole where there were no deltas", () => {
    expect(shown([{ type: "text.ended", text: "Hello" }])).toBe("│ Hello\n");
  });

  it("is completed where the deltas stopped short", () => {
    expect(shown([delta("Hel"), { type: "text.ended", text: "Hello" }])).toBe("│ Hello\n");
  });

  it("is shown from its start to somebody who came in the middle", () => {
    expect(shown([delta("lo"), { type: "text.ended", text: "Hello" }])).toBe("│ lo\n│ Hello\n");
  });

  it("is kept apart from the thinking before it", () => {
    const items: Item[] = [delta("Hm.", "reasoning"), { type: "reasoning.ended", text: "Hm." }, delta("Yes.")];
    expect(shown([...items, { type: "text.ended", text: "Yes." }])).toBe("~ Hm.\n│ Yes.\n");
  });

  it("cannot move the cursor, even when a sequence is cut in two", () => {
    expect(shown([delta("a\u001b["), delta("2Jb"), { type: "text.ended", text: "a\u001b[2Jb" }])).toBe("│ ab\n");
  });

  it("of a sub-agent stands apart", () => {
    const parent = "call";
    const items: Item[] = [
      { ...delta("un"), parent },
      { type: "text.ended", text: "under", parent },
    ];
    expect(shown(items)).toBe("  ↳ under\n");
  });
});

describe("tools", () => {
  it("are told with what they are about, and what came of them", () => {
    const items = [requested("1", "run", { command: "ls" }), ended("1", "run", "a\nb\n")];
    expect(shown(items)).toBe("▸ run ls\n  ✓ a\n    b\n");
  });

  it("say how they failed", () => {
    expect(shown([requested("1", "run", { command: "x" }), ended("1", "run", "no x", "failed")])).toBe(
      "▸ run x\n  ✗ failed: no x\n",
    );
  });

  it("are kept apart by name when several are open", () => {
    const open = [requested("1", "read", { path: "a" }), requested("2", "list", { path: "b" })];
    expect(shown([...open, ended("1", "read", "A"), ended("2", "list", "B")])).toBe(
      "▸ read a\n▸ list b\n  ✓ read: A\n  ✓ list: B\n",
    );
  });

  it("that print much are cut to ten lines", () => {
    const output = Array.from({ length: 12 }, (_, at) => `${at + 1}`).join("\n");
    const lines = shown([requested("1", "run", {}), ended("1", "run", output)]).split("\n");
    expect(lines.slice(-4)).toEqual(["    9", "    10", "    … 2 more lines", ""]);
  });

  it("do not repeat what was streamed as text", () => {
    const items: Item[] = [
      requested("1", "shell", { command: "date" }),
      delta("today\n"),
      ended("1", "shell", "today\n"),
    ];
    expect(shown([...items, { type: "text.ended", text: "today\n" }])).toBe("▸ shell date\n│ today\n  ✓ shell\n");
  });

  it("are not repeated by a text that says the same", () => {
    const items: Item[] = [requested("1", "shell", { command: "date" }), ended("1", "shell", "today\n")];
    expect(shown([...items, { type: "text.ended", text: "today\n" }])).toBe("▸ shell date\n  ✓ today\n");
  });
});

describe("approvals", () => {
  it("show all of the input to whoever is asked", () => {
    const input = { path: "a.txt", content: "one\ntwo" };
    expect(shown([requested("1", "write", input), approval("1", "write", input)], { asking: true })).toBe(
      "▸ write a.txt\n    path: a.txt\n    content:\n      one\n      two\n",
    );
  });

  it("need no second look when the line above is the whole input", () => {
    const input = { command: "ls" };
    expect(shown([requested("1", "run", input), approval("1", "run", input)], { asking: true })).toBe("▸ run ls\n");
  });

  it("are spelt out when what will run is not what was requested", () => {
    const items = [requested("1", "run", { command: "ls" }), approval("1", "run", { command: "rm -r ." })];
    expect(shown(items, { asking: true })).toContain("command: rm -r .");
  });

  it("hide nothing in escape sequences", () => {
    const input = { command: "ls \u001b]0;; rm -r .\u0007" };
    const text = shown([requested("1", "run", input), approval("1", "run", input)], { asking: true });
    expect(text).toContain("command: ls \\u{1b}]0;; rm -r .\\u{7}");
  });

  it("are not put to anybody in full-auto", () => {
    expect(shown([approval("1", "run", { command: "ls" })], { asking: true, mode: "full-auto" })).toBe("");
  });

  it("are told with their answer in a log", () => {
    const resolved = {
      type: "decision.resolved",
      decision: "d",
      outcome: "denied",
      by: "user",
      message: "no",
    } as const;
    const items = [requested("1", "run", { command: "ls" }), approval("1", "run", { command: "ls" }), resolved];
    expect(shown(items)).toBe("▸ run ls\n  asks for approval\n  denied by a person: no\n");
  });
});

describe("turns", () => {
  const turn = { type: "turn.started", turn: "t", input: "hello\nyou", origin: "user" } as const;

  it("begin with the message, in a log", () => {
    expect(shown([turn])).toBe("> hello\n> you\n");
  });

  it("do not repeat a message that was typed here", () => {
    const transcript = new Transcript({ live: true });
    transcript.typed(turn.input);
    const [first, second] = journal(turn, turn);
    expect(transcript.take(first!)).toEqual([]);
    expect(transcript.take(second!)).not.toEqual([]);
  });

  it("end with outcome, duration, tokens and cost", () => {
    const tokens = { uncached: 200, cacheRead: 1000, cacheWrite: 34, output: 56, reasoning: 0 };
    const cost = { amount: 0.0123, currency: "USD" } as const;
    const usage = { type: "usage.reported", provider: "p", model: "m", tokens, cost, provenance: "reported" } as const;
    const transcript = new Transcript();
    const events = journal(turn, usage, usage, { type: "turn.ended", turn: "t", outcome: "completed" });
    const last = events.flatMap((event) => transcript.take(event)).at(-1);
    expect(last?.text).toBe("— completed · 3.0 s · 2,468 in (2,000 cached), 112 out · $0.0246\n");
  });
});

it("tells errors and warnings on a stream of their own while it is live, and in the log where they happened", () => {
  const items: Item[] = [
    delta("Hel"),
    { type: "status.reported", level: "warning", message: "slow" },
    { type: "error.raised", category: "unreachable", message: "no way" },
  ];
  expect(shown(items, { live: true })).toBe("│ Hel\n[· slow]\n[✗ no way (unreachable)]\n");
  expect(shown(items)).toBe("│ Hel\n· slow\n✗ no way (unreachable)\n");
});

it("tells files, plans, modes and the end", () => {
  const items: Item[] = [
    { type: "file.changed", path: "a\u001b[2J.txt", change: "created" },
    {
      type: "plan.updated",
      steps: [
        { text: "look", state: "done" },
        { text: "leap", state: "active" },
      ],
    },
    { type: "session.changed", mode: "plan" },
    { type: "session.ended", reason: "crashed", exit: { code: null, signal: "SIGKILL" } },
  ];
  expect(shown(items).split("\n")).toEqual([
    "  created a.txt",
    "  [x] look",
    "  [>] leap",
    "The mode is now plan.",
    "The agent died without a word. (SIGKILL)",
    "",
  ]);
});
