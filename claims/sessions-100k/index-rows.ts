import type { SessionRow } from "@fairlead/journal";

const states = ["ended", "ended", "ended", "ended", "idle", "idle", "working", "waiting", "paused", "lost"];
const agents = ["alpha", "beta", "gamma", "delta"];
const words = "fix the test that fails on slow disks, then explain what the retry does and why it waits".split(" ");
const firstStart = Date.UTC(2026, 0, 1);
const tokens = (n: number) => ({
  input: n * 37,
  cachedInput: n * 211,
  cacheWrite: n * 5,
  output: n * 11,
  reasoning: n,
});

/** Returns a row whose size and variety are those of a real session's. */
export function createIndexRow(n: number, last = 40): SessionRow {
  const random = (n * 2_654_435_761) % 4_294_967_296;
  const session = `${random.toString(36).padStart(7, "0")}${n.toString(36).padStart(5, "0")}`;
  const state = states[random % states.length] ?? "ended";
  const agent = agents[n % agents.length] ?? "alpha";
  const workspace = `/srv/work/project-${n % 400}/checkout`;
  const startedAt = new Date(firstStart + (random % 2_000_000_000)).toISOString();
  const lastAt = new Date(firstStart + (random % 2_000_000_000) + last * 1_000).toISOString();
  const name = n % 3 === 0 ? `task-${n}` : null;
  const agentSessionId = `${random.toString(16).padStart(8, "0")}-7c1f-4a77-9d3e-${n.toString(16).padStart(12, "0")}`;
  const title = Array.from({ length: 12 }, (_, index) => words[(n * (index + 7) + index) % words.length]).join(" ");
  const open = { decision: `d-${n}`, title: `Run npm test in ${workspace}`, since: lastAt };
  const waitingFor = state === "waiting" ? [open] : [];
  const decision = {
    ...open,
    session,
    agent,
    kind: "command",
    command: `npm test -- ${title}`,
    digest: agentSessionId,
  };
  const usage = {
    session,
    agent,
    provider: "model-host",
    model: "large-4",
    tokens: tokens(n),
    unpriced: tokens(0),
    cost: n / 1_000,
    provenance: "reported",
  };
  const summary = {
    session,
    name,
    agent,
    agentVersion: "2.1.144",
    protocol: "stream-json",
    workspace,
    room: null,
    mode: "ask",
    model: "large-4",
    state,
    problem: null,
    pauseReason: null,
    pausedUntil: null,
    limits: null,
    since: lastAt,
    lead: "human",
    containment: "namespace",
    sandbox: { kind: "bubblewrap", network: "none", writable: [workspace], hidden: ["/srv/secrets"] },
    reason: null,
    agentSessionId,
    continues: null,
    title,
    lastText: `${title} ${title}`,
    turns: n % 40,
    lastOutcome: "completed",
    queued: 0,
    last,
    waitingFor,
    startedAt,
    lastAt,
    cost: n / 1_000,
  };
  const content = JSON.stringify({ summary, queued: [], decisions: waitingFor.map(() => decision), usage: [usage] });
  return {
    session,
    epoch: 1,
    last,
    owner: `host-${n % 1_000}/0198c1d2-7c1f`,
    state,
    unfinished: state !== "ended",
    name,
    agent,
    workspace,
    continues: n % 50 === 1 ? createIndexRow(n - 1).session : null,
    agentSessionId,
    startedAt,
    lastAt,
    content,
  };
}
