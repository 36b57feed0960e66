import type { AgentEvent, Event } from "@fairlead/contract";
import { historyBodies } from "@fairlead/testing/runtime/write-history.ts";

/** Creates events as the journal returns them, one second apart. */
export function createSessionEvents(bodies: Iterable<AgentEvent>): Event[] {
  return Array.from(bodies, (body, at) => createEvent(body, at + 1));
}

function createEvent(body: AgentEvent, sequence: number): Event {
  const occurredAt = new Date(Date.UTC(2026, 0, 1) + sequence * 1000).toISOString();
  const common = { session: "s", epoch: 1, turn: null, occurredAt, agent: "tester", model: "m", synthetic: false };
  return { id: `s/${sequence}.0`, sequence, spool: sequence, ...common, body };
}

/** A session with the types of events that few agents report, or none in the recordings. */
export function createRareSession(): Event[] {
  const [started] = historyBodies({ session: "s", name: "rare", continues: "other" });
  if (started?.type !== "session.started") throw new Error("A history begins with another event.");
  const rule = { source: "fairlead.yaml", number: 3 };
  return createSessionEvents([
    {
      ...started,
      limits: { usd: 2 },
      room: "web",
      brief: { title: "Greeting", goal: "Write a greeting.", constraints: [], acceptance: ["it is short"] },
      copy: { workspace: "/w", branch: "fairlead/one", base: "0123" },
      policy: { sources: [{ source: "x", rules: 1 }], digest: "d", unattended: "deny" },
    },
    { type: "context.injected", text: "by the way" },
    {
      type: "brief.updated",
      brief: { title: "Greeting", goal: "Write it shorter.", constraints: ["no name"], acceptance: [] },
    },
    { type: "message.queued", turn: "t", text: "do" },
    { type: "turn.started", turn: "t", input: "do", origin: "user" },
    { type: "turn.steered", turn: "t", text: "and this" },
    { type: "plan.updated", steps: [{ text: "first this", state: "active" }] },
    { type: "reasoning.ended", text: "hm", part: 1 },
    { type: "reasoning.ended", text: "m", part: 2, last: true },
    { type: "tool.requested", call: "c", name: "Bash", input: { command: "git push" }, action: { kind: "run" } },
    {
      type: "decision.requested",
      decision: "d",
      kind: "question",
      title: "Which?",
      call: "c",
      tool: "Ask",
      questions: [{ text: "Which?", options: [{ label: "this", description: "or that" }], multiSelect: false }],
      options: [{ id: "o", label: "Always", scope: "always" }],
      category: "merge",
      reading: {
        verdict: "ask",
        reason: "It updates a shared ref.",
        rule,
        alsoFound: ["network: it connects"],
        commands: ["git push"],
        omittedCommands: 2,
        grants: [{ command: "git push", categories: ["merge"] }],
      },
      deadline: "2026-01-01T00:00:00.000Z",
      digest: "d",
    },
    {
      type: "decision.resolved",
      decision: "d",
      outcome: "answered",
      by: { kind: "person", label: "owner", rule },
      input: { command: "git push --dry-run" },
      message: "yes",
      remember: "session",
      option: "o",
      answers: { "Which?": "this" },
    },
    { type: "tool.started", call: "c", enforcement: "gated" },
    { type: "tool.progressed", call: "c", output: ".", elapsedSeconds: 1.5 },
    { type: "tool.ended", call: "c", name: "Bash", ok: false, output: "no", reason: "failed" },
    { type: "file.changed", path: "a.txt", change: "created", call: "c", source: "observed", attribution: "call" },
    { type: "text.ended", text: "from below", parent: "c" },
    {
      type: "network.judged",
      host: "example.com",
      port: 443,
      verdict: "refused",
      rule: "unlisted",
      enforcedBy: "gate",
    },
    { type: "quota.reported", status: "exhausted", window: "five_hour", usedPercent: 100 },
    { type: "context.compacted", trigger: "automatic" },
    { type: "unrecognized", reason: "no code reads it", raw: "?" },
    { type: "error.raised", category: "agent-died", message: "oh" },
    { type: "turn.ended", turn: "t", outcome: "failed" },
    { type: "message.returned", turn: "u", text: "more", reason: "stopped" },
    { type: "session.ended", reason: "crashed", exit: { code: 1, signal: "SIGTERM" } },
  ]);
}

/** Yields the events of a session with one turn and many calls, without keeping them. */
export function* createLongSession(calls: number, outputLength: number): Generator<Event> {
  const [started, turn, ...rest] = historyBodies({ session: "s" });
  if (started === undefined || turn === undefined) throw new Error("A history has no turn.");
  let sequence = 0;
  const create = (body: AgentEvent): Event => createEvent(body, ++sequence);
  yield create(started);
  yield create(turn);
  const line = "## Turn 99 `` and \u001b[31mmore\n";
  for (let call = 1; call <= calls; call += 1) {
    const id = `call-${call}`;
    const output = line.repeat(outputLength / line.length);
    yield create({ type: "tool.requested", call: id, name: "Bash", input: { command: `echo ${call}` } });
    yield create({ type: "tool.started", call: id });
    yield create({ type: "tool.ended", call: id, name: "Bash", ok: true, output });
  }
  for (const body of rest) yield create(body);
}
