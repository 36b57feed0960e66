import type { Adapter, AgentAnswer, Capability, Command, Manifest, RecordKind, SpoolRecord } from "@fairlead/contract";
import { capabilities, Capability as CapabilitySchema, commandRules } from "@fairlead/contract";
import { defineDialect } from "@fairlead/kit";
import { exampleOpening as opening } from "@fairlead/testing/reducer/example-opening.ts";
import { describe, expect, test } from "vitest";
import type { Reduction } from "./emitter.ts";
import { SessionReducer } from "./session-reducer.ts";

const shownInput = { command: "ls", cwd: "/w" };
const approval = "approval-1";
const question = "question-1";

/** An adapter whose dialect writes the type of each command to the agent, and opens two decisions in every turn. */
function adapterWith(manifest: Partial<Manifest>): Adapter {
  const dialect = defineDialect<object>({
    initialState: {},
    observe() {},
    handle(writer, command) {
      writer.effect({ type: "write", text: JSON.stringify(command) });
      if (command.type === "open") writer.effect({ type: "launch", command: launchCommand });
      if (command.type !== "send") return;
      writer.event({ type: "turn.started", turn: command.turn, input: command.text, origin: "user" });
      for (const [decision, kind] of [
        [approval, "approval"],
        [question, "question"],
      ] as const)
        writer.event({ type: "decision.requested", decision, kind, title: "?", input: shownInput });
    },
  });
  const unused = (): never => expect.unreachable();
  return {
    manifest: manifest as Manifest,
    probe: unused,
    open: () => ({ processLifetime: "session", protocol: "lines", dialect }),
  };
}
const launchCommand = { program: "agent", args: [], env: {}, cwd: "/w", stdin: "pipe" } as const;

/** A session with an open turn and two open decisions. Submits commands with the given version of the rules. */
function openSession(manifest: Partial<Manifest>, rules: number | null = commandRules) {
  const reducer = new SessionReducer(adapterWith(manifest));
  let seq = 0;
  const add = (kind: RecordKind, value: object): Reduction => {
    const record: SpoolRecord = { seq: (seq += 1), kind, process: 1, at: seq, id: "", bytes: toBytes(value) };
    return reducer.reduce(record);
  };
  const submit = (command: Command): Reduction =>
    add("note", { type: "command", command, ...(rules !== null && { rules }) });
  add("note", { type: "opening", opening });
  submit({ type: "open" });
  add("launch", {});
  submit({ type: "send", turn: "t", text: "do" });
  return { reducer, add, submit };
}
/** The command that the dialect got. */
const toAgent = ([pending]: Reduction["pendingEffects"]): AgentAnswer => {
  const effect = pending?.effect;
  return JSON.parse(effect?.type === "write" ? effect.text : "null") as AgentAnswer;
};
const toBytes = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));
const answer = (value: Extract<Command, { type: "answer" }>["answer"], decision: string = approval): Command => ({
  type: "answer",
  decision,
  answer: value,
  by: { kind: "person" },
});

/** Every command that needs a capability, and the capability. Null: no agent of the kind `messages` supports it. */
const needs: readonly [string, Command, Capability][] = [
  ["an edited approval", answer({ type: "allow", input: { command: "true" } }), "edited-approvals"],
  ["an edit that adds a field", answer({ type: "allow", input: { ...shownInput, more: 1 } }), "edited-approvals"],
  ["a denial with words", answer({ type: "deny", message: "no", interrupt: false }), "told-denials"],
  ["a denial that interrupts", answer({ type: "deny", message: "", interrupt: true }), "interrupt"],
  ["a message into the turn", { type: "steer", text: "left" }, "steer"],
  ["an interrupt", { type: "interrupt" }, "interrupt"],
  ["a take-over", { type: "take-over", size: { columns: 80, rows: 24 } }, "take-over"],
];

describe.each(needs)("%s", (_, command, capability) => {
  const all = CapabilitySchema.options;

  test("is refused without the capability, and has no other effect", () => {
    const { reducer, submit } = openSession({ capabilities: all.filter((one) => one !== capability) });
    const before = reducer.state;
    for (const reduction of [submit(command), submit(command)])
      expect(reduction).toEqual({ outputs: [], pendingEffects: [], rejection: "not-supported" });
    expect(reducer.state).toEqual(before);
  });

  test("is refused over a fallback protocol that lacks the capability", () => {
    const fallback = { missingFlag: "--x", whenFlagsUnknown: true, protocol: "turns", capabilities: [] };
    expect(openSession({ capabilities: all, fallback }).submit(command).rejection).toBe("not-supported");
  });

  test("is refused in a version that lacks the capability", () => {
    const manifest = { capabilities: all, since: { [capability]: "3" } };
    expect(openSession(manifest).submit(command).rejection).toBe("not-supported");
  });

  test("is not refused with the capability", () => {
    expect(openSession({ capabilities: [capability] }).submit(command).rejection).not.toBe("not-supported");
  });
});

test("a message during the turn needs no capability, and is kept until the turn ends", () => {
  const send: Command = { type: "send", turn: "u", text: "next" };
  const { reducer, submit } = openSession({ capabilities: [] });
  const { outputs, rejection } = submit(send);
  expect(rejection).toBeNull();
  expect(outputs).toMatchObject([{ body: { type: "message.queued", turn: "u", text: "next" } }]);
  expect(reducer.state.waitingMessages).toMatchObject([{ turn: "u", isDelivered: false }]);
  // The rules of the version that wrote the command apply in a replay.
  expect(openSession({ capabilities: [] }, 3).submit(send).rejection).toBe("not-supported");
});

test("an agent without any capability can be asked, allowed and denied", () => {
  const { submit } = openSession({ capabilities: [] });
  expect(submit(answer({ type: "allow" })).rejection).toBeNull();
  expect(submit(answer({ type: "deny", message: "", interrupt: false }, question)).rejection).toBeNull();
});

test("a repeated input is not an edit: neither the journal nor the agent gets it", () => {
  const { submit } = openSession({ capabilities: [] });
  // The order of fields has no meaning in JSON.
  const { outputs, pendingEffects, rejection } = submit(answer({ type: "allow", input: { cwd: "/w", command: "ls" } }));
  expect(rejection).toBeNull();
  expect(outputs).toMatchObject([{ body: { type: "decision.resolved", outcome: "allowed" } }]);
  expect(JSON.stringify(outputs)).not.toContain("/w");
  expect(toAgent(pendingEffects)).toMatchObject({ answer: { type: "allow" } });
  expect(toAgent(pendingEffects).answer).not.toHaveProperty("input");
});

test("a dialect gets the input that was shown with every answer, also with an edit", () => {
  const { submit } = openSession({ capabilities: ["edited-approvals"] });
  const edit = answer({ type: "allow", input: { command: "true" } });
  expect(toAgent(submit(edit).pendingEffects)).toMatchObject({
    shown: shownInput,
    answer: { input: { command: "true" } },
  });
  const denial = answer({ type: "deny", message: "", interrupt: false }, question);
  expect(toAgent(submit(denial).pendingEffects)).toMatchObject({ shown: shownInput });
});

test("a choice is no answer to an approval, because it would allow the call", () => {
  const { submit } = openSession({ capabilities: CapabilitySchema.options });
  expect(submit(answer({ type: "choose", answers: { a: "b" } })).rejection).toBe("not-supported");
  expect(submit(answer({ type: "choose", answers: { a: "b" } }, question)).rejection).toBeNull();
});

test("an agent that executes messages as commands gets no context", () => {
  const inject: Command = { type: "inject", text: "by the way" };
  expect(openSession({ capabilities: [], messages: "command" }).submit(inject).rejection).toBe("not-supported");
  expect(openSession({ capabilities: [], messages: "independent" }).submit(inject).rejection).toBeNull();
});

test.each([
  ["conversation", [], "not-supported"],
  ["conversation", ["resume"], null],
  ["independent", [], null],
  ["command", [], null],
] as const)("a resume of %s with the capabilities %j gives %s", (messages, declared, rejection) => {
  const { add, submit } = openSession({ capabilities: declared, messages });
  submit({ type: "pause" });
  add("exit", { code: 0, signal: null });
  expect(submit({ type: "resume" }).rejection).toBe(rejection);
});

test("a note of an older version is replayed as that version executed it", () => {
  const { submit } = openSession({ capabilities: [] }, null);
  expect(submit(answer({ type: "allow", input: { command: "true" } })).outputs).toMatchObject([
    { body: { outcome: "allowed", input: { command: "true" } } },
  ]);
});

test("every capability that a command can use is in the table", () => {
  // These are observed, or needed by settings, forks and continuations, which the runtime checks before a start. The
  // reducer queues messages for every agent.
  const others: readonly Capability[] = [
    ...(["streaming", "reasoning", "tools", "parallel-tools", "file-events", "approvals", "asks-all"] as const),
    ...(["usage", "cost", "resume", "fork", "max-turns", "system-prompt", "recorded-take-over", "queue"] as const),
    ...(["questions", "read-tool", "search-tool", "fetch-tool", "host-tools", "mcp-servers"] as const),
  ];
  const tested = new Set([...needs.map(([, , capability]) => capability), ...others]);
  expect(Object.keys(capabilities).filter((one) => !tested.has(one as Capability))).toEqual([]);
});
