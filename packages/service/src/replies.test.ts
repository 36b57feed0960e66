import type { SessionView } from "@fairlead/api";
import {
  advance,
  emptyLedger,
  FairleadError,
  isOpen,
  type AgentEvent,
  type ErrorCode,
  type Event,
} from "@fairlead/contract";
import { withScript } from "@fairlead/kit";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test, vi } from "vitest";
import type { LocalFairlead } from "./local-fairlead.ts";

// Each test drives a dozen sessions.
vi.setConfig({ testTimeout: 180_000 });

const size = { columns: 80, rows: 24 };
const hello = withScript("Say.", [{ text: "Hello." }]);
const hang = withScript("Hang.", [{ text: "Working." }, { hang: true }]);
const ask = withScript("Ask.", [{ tools: [{ name: "run", input: { command: "true" } }] }]);

/** Brings a new session into each state. */
const states = {
  idle: (fairlead, session) => say(fairlead, session, hello, "turn.ended"),
  working: (fairlead, session) => say(fairlead, session, hang, "text.ended"),
  async queued(fairlead, session) {
    await say(fairlead, session, hang, "text.ended");
    await fairlead.send(session, hello);
  },
  waiting: (fairlead, session) => say(fairlead, session, ask, "decision.requested"),
  async paused(fairlead, session) {
    await say(fairlead, session, hello, "turn.ended");
    await fairlead.pause(session);
  },
  async takenOver(fairlead, session) {
    await say(fairlead, session, hello, "turn.ended");
    await fairlead.takeOver(session, size);
  },
  async ended(fairlead, session) {
    await say(fairlead, session, hello, "turn.ended");
    await fairlead.stop(session);
  },
} satisfies Readonly<Record<string, (fairlead: LocalFairlead, session: string) => Promise<void>>>;
type State = keyof typeof states;

async function say(fairlead: LocalFairlead, session: string, text: string, until: AgentEvent["type"]): Promise<void> {
  await fairlead.send(session, text);
  await collectEventsUntil(fairlead, session, until);
}

/** A command, and what the journal must say when it is answered. */
interface CommandCase {
  readonly execute: (fairlead: LocalFairlead, session: string) => Promise<unknown>;
  readonly check: (reply: unknown, journal: Journal) => void;
  /** Refused with this code. In the other states the command succeeds. */
  readonly refused: Readonly<Partial<Record<State, ErrorCode>>>;
}

/** The events of the session that a reply is about: the one that got the command, or the one that it started. */
interface Journal {
  readonly events: readonly Event[];
  /** The events that were not there before the command. */
  readonly added: readonly AgentEvent[];
}

/** The state that the events say. */
function stateOf(events: readonly Event[], last: number): SessionView["state"] {
  const ledger = events
    .filter(({ sequence }) => sequence <= last)
    .reduce((current, { body }) => advance(current, body).ledger, emptyLedger);
  if (ledger.over) return "ended";
  if (isOpen(ledger, "pause")) return "paused";
  if (isOpen(ledger, "decision")) return "waiting";
  return isOpen(ledger, "turn") ? "working" : "idle";
}

function checkView(reply: unknown, { events }: Journal): SessionView {
  const view = reply as SessionView;
  expect(view.state).toBe(stateOf(events, view.last));
  return view;
}

const ended = "session-ended";
const brief = { title: "Greet", goal: "Say it.", constraints: [], acceptance: [] };
const commands: Readonly<Record<string, CommandCase>> = {
  send: {
    execute: (fairlead, session) => fairlead.send(session, hello),
    check(reply, { added }) {
      const { turn } = reply as { turn: string };
      const facts = added.filter((body) => "turn" in body && body.turn === turn).map(({ type }) => type);
      expect(["turn.started", "message.queued"]).toContain(facts[0]);
    },
    refused: { takenOver: "taken-over", ended },
  },
  steer: {
    execute: (fairlead, session) => fairlead.steer(session, "Quickly."),
    check: () => {},
    refused: { idle: "no-open-turn", paused: "no-open-turn", takenOver: "taken-over", ended },
  },
  inject: {
    execute: (fairlead, session) => fairlead.inject(session, "By the way."),
    check: (_, { added }) => expect(added).toContainEqual({ type: "context.injected", text: "By the way." }),
    refused: { ended },
  },
  updateBrief: {
    execute: (fairlead, session) => fairlead.updateBrief(session, brief),
    check: (_, { added }) => expect(added).toContainEqual({ type: "brief.updated", brief }),
    refused: { ended },
  },
  answer: {
    async execute(fairlead, session) {
      const { waitingFor } = await fairlead.session(session);
      await fairlead.answer(session, waitingFor[0]?.decision ?? "none", { type: "allow" });
    },
    check: (_, { added }) => expect(added.map(({ type }) => type)).toContain("decision.resolved"),
    refused: {
      idle: "decision-not-open",
      working: "decision-not-open",
      queued: "decision-not-open",
      paused: "decision-not-open",
      takenOver: "taken-over",
      ended,
    },
  },
  interrupt: {
    execute: (fairlead, session) => fairlead.interrupt(session),
    check(reply, { events }) {
      const started = events.find(({ body }) => body.type === "turn.started");
      expect(reply).toEqual({ turn: started?.turn });
    },
    refused: { idle: "no-open-turn", paused: "no-open-turn", takenOver: "taken-over", ended },
  },
  pause: {
    execute: (fairlead, session) => fairlead.pause(session),
    check(reply, { events }) {
      const { state, sequence } = reply as { state: string; sequence: number };
      expect([state, stateOf(events, sequence)]).toEqual(["paused", "paused"]);
    },
    refused: { takenOver: "taken-over", ended },
  },
  resume: {
    execute: (fairlead, session) => fairlead.resume(session),
    check: (reply, journal) => expect(checkView(reply, journal).state).not.toBe("paused"),
    refused: {},
  },
  resumeFresh: {
    execute: (fairlead, session) => fairlead.resume(session, { outcome: "fresh" }),
    check: (reply, journal) => expect(checkView(reply, journal).state).toBe("idle"),
    refused: { working: "conflict", queued: "conflict", waiting: "conflict", takenOver: "conflict" },
  },
  stop: {
    execute: (fairlead, session) => fairlead.stop(session),
    check: (reply, journal) => expect(checkView(reply, journal)).toMatchObject({ state: "ended", queued: 0 }),
    refused: {},
  },
  takeOver: {
    execute: (fairlead, session) => fairlead.takeOver(session, size),
    check: (_, { events }) =>
      expect(events.findLast(({ body }) => body.type === "lead.changed")?.body).toMatchObject({ lead: "human" }),
    refused: { ended },
  },
  handBack: {
    execute: (fairlead, session) => fairlead.handBack(session),
    check: (_, { added }) => expect(added).toContainEqual({ type: "lead.changed", lead: "agent" }),
    refused: {
      idle: "not-taken-over",
      working: "not-taken-over",
      queued: "not-taken-over",
      waiting: "not-taken-over",
      paused: "not-taken-over",
      ended,
    },
  },
  fork: {
    execute: (fairlead, session) => fairlead.fork(session, { outcome: "rebuilt" }),
    check: (reply, journal) => expect(checkView(reply, journal).state).toBe("idle"),
    refused: {},
  },
  forget: {
    execute: (fairlead, session) => fairlead.forget(session),
    check: (_, { events }) => expect(events).toEqual([]),
    refused: {
      idle: "conflict",
      working: "conflict",
      queued: "conflict",
      waiting: "conflict",
      paused: "conflict",
      takenOver: "conflict",
    },
  },
};

async function readEvents(fairlead: LocalFairlead, session: string): Promise<Event[]> {
  return (await Array.fromAsync(fairlead.events(session)).catch(() => [])) as Event[];
}

/** Executes a command on a new session in a state. Returns a sentence if the reply and the journal disagree. */
async function findDifference(fairlead: LocalFairlead, workspace: string, state: State, name: string) {
  const { session } = await fairlead.start({ workspace });
  await states[state](fairlead, session);
  const { execute, check, refused } = commands[name] as CommandCase;
  const before = await readEvents(fairlead, session);
  const reply: unknown = await execute(fairlead, session).catch((error: unknown) => error);
  const code = FairleadError.isInstance(reply) ? reply.code : reply instanceof Error ? reply.message : null;
  if (code !== (refused[state] ?? null)) return `${name}: ${code ?? "accepted"}`;
  const about = (reply as Partial<SessionView> | undefined)?.session ?? session;
  const events = await readEvents(fairlead, about);
  const added = events.slice(about === session ? before.length : 0).map(({ body }) => body);
  try {
    if (code === null) check(reply, { events, added });
    // A refused command changes nothing.
    else expect(added.filter(({ type }) => type !== "session.changed")).toEqual([]);
    // Only one of two sessions with the same conversation is open.
    if (name === "resumeFresh" && code === null) expect((await fairlead.session(session)).state).toBe("ended");
    return null;
  } catch (error) {
    return `${name}: ${(error as Error).message}`;
  }
}

test.each(Object.keys(states) as State[])("every command says what the journal says: %s", async (state) => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const differences: (string | null)[] = [];
  // A few at a time: each has a keeper and an agent.
  const names = Object.keys(commands);
  const work = async (): Promise<void> => {
    for (let name = names.shift(); name !== undefined; name = names.shift())
      differences.push(await findDifference(fairlead, testHome.folder, state, name));
  };
  await Promise.all([work(), work(), work(), work()]);
  expect(differences.filter((one) => one !== null)).toEqual([]);
});

test("a session is working from its first instant, also long after its last output", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const { session, state } = await fairlead.start({ workspace: testHome.folder, prompt: hang });
  expect(["idle", "working"]).toContain(state);
  await collectEventsUntil(fairlead, session, "text.ended");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 120_000 });
  try {
    expect(await fairlead.session(session)).toMatchObject({ state: "silent" });
  } finally {
    vi.useRealTimers();
  }
});

test("a pause directly after a resume pauses, and a resume during it continues", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const { session } = await fairlead.start({ workspace: testHome.folder });
  await states.paused(fairlead, session);
  for (const _ of [1, 2, 3]) {
    expect(await fairlead.resume(session)).toMatchObject({ state: "idle" });
    const [paused, resumed] = await Promise.all([fairlead.pause(session), fairlead.resume(session)]);
    expect(paused).toMatchObject({ session });
    expect(["idle", "paused"]).toContain(resumed.state);
    expect(await fairlead.pause(session)).toMatchObject({ state: "paused" });
  }
});
