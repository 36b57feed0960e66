import { cutText, maxTextLength, splitIntoParts } from "@fairlead/contract";
import type { AgentEvent, Delta, EventOf } from "@fairlead/contract";
import { describe, expect, it } from "vitest";
import { createDelta, createEvents } from "@fairlead/testing/cli/create-events.ts";
import { TranscriptRenderer, type TranscriptRendererOptions } from "./transcript-renderer.ts";

type Item = AgentEvent | Delta;

/** Renders items, with the output to standard error in brackets. */
function render(items: readonly Item[], options: TranscriptRendererOptions = {}): string {
  const transcript = new TranscriptRenderer(options);
  const inputs = items.map((item) => (isDelta(item) ? item : createEvents(item)[0]!));
  const pieces = inputs.flatMap((item) => transcript.render(item));
  return pieces.map(({ to, text }) => (to === "err" ? `[${text.trimEnd()}]\n` : text)).join("");
}

function isDelta(item: Item): item is Delta {
  return item.type === "text.delta" || item.type === "reasoning.delta";
}

const toolRequested = (call: string, name: string, input: unknown): AgentEvent => ({
  type: "tool.requested",
  call,
  name,
  input,
});
const toolEnded = (call: string, name: string, output: string, reason?: "failed"): AgentEvent => ({
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
  it("is shown as deltas arrive, and not again when it is complete", () => {
    expect(render([createDelta("Hel"), createDelta("lo"), { type: "text.ended", text: "Hello" }])).toBe("│ Hello\n");
  });

  it("is shown completely if there were no deltas", () => {
    expect(render([{ type: "text.ended", text: "Hello" }])).toBe("│ Hello\n");
  });

  it("is completed if the deltas are incomplete", () => {
    expect(render([createDelta("Hel"), { type: "text.ended", text: "Hello" }])).toBe("│ Hello\n");
  });

  it.each(["text", "reasoning"] as const)("is shown once if its parts end before, in or after a delta: %s", (kind) => {
    const mark = kind === "text" ? "│" : "~";
    const delta = (text: string): Delta => ({ type: `${kind}.delta`, text });
    const part = (text: string, number: number, last?: true): AgentEvent => ({
      type: `${kind}.ended`,
      text,
      part: number,
      ...(last && { last }),
    });
    const parts = [part("abc", 1), part("def", 2), part("g", 3, true)];
    const other: AgentEvent =
      kind === "text" ? { type: "reasoning.ended", text: "" } : { type: "text.ended", text: "" };
    for (const items of [
      [delta("abcdefg"), ...parts],
      [delta("abcdefg"), other, ...parts],
      [delta("ab"), delta("cd"), parts[0]!, delta("efg"), parts[1]!, parts[2]!],
      [delta("abcd"), parts[0]!, parts[1]!, delta("g"), parts[2]!],
      [...parts],
    ])
      expect(render(items)).toBe(`${mark} abcdefg\n`);
    // A client that joined in the middle shows the events only, because it does not know which deltas it missed.
    expect(render([delta("cd"), parts[0]!, delta("e"), parts[1]!, delta("g"), parts[2]!, delta("next")])).toMatch(
      new RegExp(`^${mark} cd\n${mark} abcdefg\n`),
    );
  });

  it("is shown once if it is longer than the longest event and arrived as one delta", () => {
    const text = "x".repeat(maxTextLength + 500);
    const [first = "", second = ""] = splitIntoParts(text);
    const shown = render([
      createDelta(text),
      toolEnded("c", "shell", cutText(text)),
      { type: "text.ended", text: first, part: 1 },
      { type: "text.ended", text: second, part: 2, last: true },
    ]);
    expect(shown.match(/x{1000,}/g)?.map(({ length }) => length)).toEqual([text.length]);
  });

  it("of an interrupted turn does not hold back the deltas of the next one", () => {
    const items: Item[] = [
      createDelta("lost"),
      { type: "text.ended", text: "abc", part: 1 },
      { type: "turn.ended", turn: "t", outcome: "interrupted" },
      createDelta("new"),
    ];
    expect(render([...items, { type: "text.ended", text: "new" }]).split("new")).toHaveLength(2);
    expect(render([...items, { type: "error.raised", message: "x", category: "other" } as never])).toContain("│ new\n");
  });

  it("is shown from its start if the deltas start in the middle", () => {
    expect(render([createDelta("lo"), { type: "text.ended", text: "Hello" }])).toBe("│ lo\n│ Hello\n");
  });

  it("is one text if it ends in parts, with and without deltas, and another text follows", () => {
    const parts = [
      { type: "text.ended", text: "Hel", part: 1 },
      { type: "text.ended", text: "lo.", part: 2, last: true },
    ] as const satisfies AgentEvent[];
    const next: AgentEvent = { type: "text.ended", text: "Bye" };
    expect(render([...parts, next])).toBe("│ Hello.\n│ Bye\n");
    expect(render([createDelta("Hel"), parts[0], createDelta("lo"), parts[1], next])).toBe("│ Hello.\n│ Bye\n");
    // The last delta of a part was lost.
    expect(render([createDelta("He"), parts[0], createDelta("lo"), parts[1]])).toBe("│ Hello.\n");
    const cutOff: AgentEvent = { type: "text.ended", text: "", part: 2, last: true };
    expect(render([createDelta("Hel"), parts[0], cutOff, next])).toBe("│ Hel\n│ Bye\n");
    const ofCall = [parts[0], parts[1]].map((part): AgentEvent => ({ ...part, parent: "call" }));
    expect(render(ofCall)).toBe("  ↳ Hel\n  │ lo.\n");
  });

  it("is separated from the reasoning before it", () => {
    const items: Item[] = [
      createDelta("Hm.", "reasoning"),
      { type: "reasoning.ended", text: "Hm." },
      createDelta("Yes."),
    ];
    expect(render([...items, { type: "text.ended", text: "Yes." }])).toBe("~ Hm.\n│ Yes.\n");
  });

  it("cannot move the cursor, even with a sequence that is split across deltas", () => {
    expect(render([createDelta("a\u001b["), createDelta("2Jb"), { type: "text.ended", text: "a\u001b[2Jb" }])).toBe(
      "│ ab\n",
    );
  });

  it("of a sub-agent is indented", () => {
    const parent = "call";
    const items: Item[] = [
      { ...createDelta("un"), parent },
      { type: "text.ended", text: "under", parent },
    ];
    expect(render(items)).toBe("  ↳ under\n");
  });
});

describe("tools", () => {
  it("are shown with a summary of input and output", () => {
    const items = [toolRequested("1", "run", { command: "ls" }), toolEnded("1", "run", "a\nb\n")];
    expect(render(items)).toBe("▸ run ls\n  ✓ a\n    b\n");
  });

  it("are shown with the reason of a failure", () => {
    expect(render([toolRequested("1", "run", { command: "x" }), toolEnded("1", "run", "no x", "failed")])).toBe(
      "▸ run x\n  ✗ failed: no x\n",
    );
  });

  it("of a failed call is followed by what the sandbox has to do with it", () => {
    const options = { explainFailure: (output: string) => [`The sandbox hides ${output}.`, "\u001b[2Jx"] };
    const requested = toolRequested("1", "run", { command: "x" });
    expect(render([requested, toolEnded("1", "run", "/x", "failed")], options)).toBe(
      "▸ run x\n  ✗ failed: /x\n  ! The sandbox hides /x.\n  ! x\n",
    );
    expect(render([requested, toolEnded("1", "run", "/x")], options)).toBe("▸ run x\n  ✓ /x\n");
  });

  it("are named when several are open", () => {
    const open = [toolRequested("1", "read", { path: "a" }), toolRequested("2", "list", { path: "b" })];
    expect(render([...open, toolEnded("1", "read", "A"), toolEnded("2", "list", "B")])).toBe(
      "▸ read a\n▸ list b\n  ✓ read: A\n  ✓ list: B\n",
    );
  });

  it("with long output are cut to ten lines", () => {
    const output = Array.from({ length: 12 }, (_, at) => `${at + 1}`).join("\n");
    const lines = render([toolRequested("1", "run", {}), toolEnded("1", "run", output)]).split("\n");
    expect(lines.slice(-4)).toEqual(["    9", "    10", "    … 2 more lines", ""]);
  });

  it("do not repeat output that was streamed as text", () => {
    const items: Item[] = [
      toolRequested("1", "shell", { command: "date" }),
      createDelta("today\n"),
      toolEnded("1", "shell", "today\n"),
    ];
    expect(render([...items, { type: "text.ended", text: "today\n" }])).toBe("▸ shell date\n│ today\n  ✓ shell\n");
  });

  it("suppress a text that repeats their output", () => {
    const items: Item[] = [toolRequested("1", "shell", { command: "date" }), toolEnded("1", "shell", "today\n")];
    expect(render([...items, { type: "text.ended", text: "today\n" }])).toBe("▸ shell date\n  ✓ today\n");
  });
});

describe("approvals", () => {
  it("show all of the input to the person who answers", () => {
    const input = { path: "a.txt", content: "one\ntwo" };
    expect(render([toolRequested("1", "write", input), approval("1", "write", input)], { asking: true })).toBe(
      "▸ write a.txt\n    path: a.txt\n    content:\n      one\n      two\n",
    );
  });

  it("show nothing more if the line above is the complete input", () => {
    const input = { command: "ls" };
    expect(render([toolRequested("1", "run", input), approval("1", "run", input)], { asking: true })).toBe(
      "▸ run ls\n",
    );
  });

  it("show the input if it differs from the request", () => {
    const items = [toolRequested("1", "run", { command: "ls" }), approval("1", "run", { command: "rm -r ." })];
    expect(render(items, { asking: true })).toContain("command: rm -r .");
  });

  it("show escape sequences in the input", () => {
    const input = { command: "ls \u001b]0;; rm -r .\u0007" };
    const text = render([toolRequested("1", "run", input), approval("1", "run", input)], { asking: true });
    expect(text).toContain("command: ls \\u{1b}]0;; rm -r .\\u{7}");
  });

  it("are not shown in full-auto", () => {
    expect(render([approval("1", "run", { command: "ls" })], { asking: true, mode: "full-auto" })).toBe("");
  });

  it("are shown with their answer in a log", () => {
    const resolved = {
      type: "decision.resolved",
      decision: "d",
      outcome: "denied",
      by: { kind: "person" },
      message: "no",
    } as const;
    const items = [toolRequested("1", "run", { command: "ls" }), approval("1", "run", { command: "ls" }), resolved];
    expect(render(items)).toBe("▸ run ls\n  asks for approval\n  denied by a person: no\n");
  });
});

it("names the request in an answer while several are open", () => {
  const calls = ["ls", "pwd"].flatMap((command, at) => [
    toolRequested(`${at}`, "run", { command }),
    { ...approval(`${at}`, "run", { command }), decision: `d${at}`, title: "" },
  ]);
  const resolved = (decision: string): AgentEvent => {
    return { type: "decision.resolved", decision, outcome: "allowed", by: { kind: "person" } };
  };
  const lines = render([...calls, resolved("d1"), resolved("d0"), calls[1]!, resolved("d0")]).split("\n");
  expect(lines.filter((line) => line.includes("allowed"))).toEqual([
    "  run pwd: allowed by a person",
    "  run ls: allowed by a person",
    "  allowed by a person",
  ]);
});

describe("turns", () => {
  const turn = { type: "turn.started", turn: "t", input: "hello\nyou", origin: "user" } as const;

  it("start with the message in a log", () => {
    expect(render([turn])).toBe("> hello\n> you\n");
  });

  it("of the agent's own terminal are marked", () => {
    expect(render([{ ...turn, origin: "terminal", source: "transcript" }])).toBe("terminal> hello\n> you\n");
  });

  it("do not repeat a message that was typed here", () => {
    const transcript = new TranscriptRenderer({ live: true });
    transcript.addTypedMessage(turn.input);
    const [first, second] = createEvents(turn, turn);
    expect(transcript.render(first!)).toEqual([]);
    expect(transcript.render(second!)).not.toEqual([]);
  });

  it("end with outcome, duration, tokens and cost", () => {
    const tokens = { uncached: 200, cacheRead: 1000, cacheWrite: 34, output: 56, reasoning: 0 };
    const cost = { amount: 0.0123, currency: "USD" } as const;
    const usage = { type: "usage.reported", provider: "p", model: "m", tokens, cost, provenance: "reported" } as const;
    const transcript = new TranscriptRenderer();
    const events = createEvents(turn, usage, usage, { type: "turn.ended", turn: "t", outcome: "completed" });
    const last = events.flatMap((event) => transcript.render(event)).at(-1);
    expect(last?.text).toBe("— completed · 3.0 s · 2,468 in (2,000 cached), 112 out · $0.0246\n");
  });
});

it("writes errors and warnings to standard error while live, and in place in a log", () => {
  const items: Item[] = [
    createDelta("Hel"),
    { type: "status.reported", level: "warning", message: "slow" },
    { type: "error.raised", category: "unreachable", message: "no way" },
  ];
  expect(render(items, { live: true })).toBe("│ Hel\n[· slow]\n[✗ no way (unreachable)]\n");
  expect(render(items)).toBe("│ Hel\n· slow\n✗ no way (unreachable)\n");
});

it("shows files, plans, modes and the end of the session", () => {
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
  expect(render(items).split("\n")).toEqual([
    "  created a.txt",
    "  [x] look",
    "  [>] leap",
    "The mode is now plan.",
    "The agent crashed (SIGKILL).",
    "",
  ]);
});
