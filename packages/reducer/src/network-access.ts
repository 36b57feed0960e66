import {
  isOpen,
  NetworkRecord,
  openRequest,
  openScopes,
  openTurn,
  type Command,
  type CommandOf,
  type NetworkRecord as Verdict,
} from "@fairlead/contract";
import { parseJsonLine, unrecognizedEvent } from "@fairlead/kit";
import type { Emitter } from "./emitter.ts";

/** A connection that waits for the answer to a decision. */
interface HeldConnection {
  readonly decision: string;
  readonly host: string;
  readonly port: number;
}

/** What is known of a session's connections. Plain JSON. */
export interface NetworkState {
  readonly held: readonly HeldConnection[];
  /** Targets that were allowed, as `host:port`. They stay allowed for the session, also in its later processes. */
  readonly allowed: readonly string[];
  /** The turn that the next two fields are about. */
  readonly turn: string | null;
  /** Targets that were denied in the turn: an agent that tries again does not ask again. */
  readonly denied: readonly string[];
  /** Verdicts that are events of the turn. */
  readonly reported: readonly string[];
}

export const initialNetworkState: NetworkState = { held: [], allowed: [], turn: null, denied: [], reported: [] };

/** The most different verdicts that become events in one turn. An agent can try any number of hosts. */
const maxReported = 64;
/** The most targets that are remembered. */
const maxRemembered = 256;
/** The most running calls that a request for a connection names. */
const maxShownCalls = 16;

/** Asks a person about the hosts that the gate of a sandbox holds, and reports its verdicts. */
export const networkAccess = {
  /** Handles a record of the gate. */
  recorded(emitter: Emitter, bytes: Uint8Array): void {
    const text = Buffer.from(bytes).toString("utf8");
    const { data: record, error } = NetworkRecord.safeParse(parseJsonLine(text));
    if (error !== undefined) return emitter.emitOwn(unrecognizedEvent(text, "a network record is invalid"));
    beginTurn(emitter);
    if (record.verdict === "held") return connectionHeld(emitter, record);
    if (record.rule === "no-answer") timedOut(emitter, record);
    report(emitter, record);
  },

  /** Whether a command answers a decision about a host. Neither the agent nor its dialect has a part in it. */
  isAnswer(emitter: Emitter, command: Command): command is CommandOf<"answer"> {
    return command.type === "answer" && openRequest(emitter.state.ledger, command.decision)?.kind === "network";
  },

  /**
   * Applies the answer to a decision about a host. Returns null if the command is another one, and the command for the
   * agent if the answer also ends the turn.
   */
  answered(emitter: Emitter, command: Command): "answered" | CommandOf<"interrupt"> | null {
    if (!networkAccess.isAnswer(emitter, command)) return null;
    const { decision, answer, by } = command;
    const { network } = emitter.state;
    const held = network.held.find((one) => one.decision === decision);
    if (held === undefined) return null;
    const isAllowed = answer.type === "allow";
    const list = isAllowed ? "allowed" : "denied";
    update(emitter, {
      held: network.held.filter((one) => one !== held),
      [list]: [...network[list], keyOf(held)].slice(-maxRemembered),
    });
    const outcome = isAllowed ? "allowed" : "denied";
    const message = answer.type === "deny" && answer.message !== "" ? { message: answer.message } : {};
    emitter.emitOwn({ type: "decision.resolved", decision, outcome, by, ...message });
    answerGate(emitter, held, isAllowed);
    return answer.type === "deny" && answer.interrupt ? { type: "interrupt", by } : "answered";
  },

  /** Refuses the connections whose decision was resolved by anything but an answer, such as the end of the turn. */
  settle(emitter: Emitter): void {
    const { network, ledger } = emitter.state;
    if (network.held.length === 0) return;
    const isWaiting = ({ decision }: HeldConnection): boolean => openRequest(ledger, decision)?.kind === "network";
    const abandoned = network.held.filter((held) => !isWaiting(held));
    if (abandoned.length === 0) return;
    update(emitter, { held: network.held.filter(isWaiting) });
    for (const held of abandoned) answerGate(emitter, held, false);
  },
};

function connectionHeld(emitter: Emitter, { host, port }: Verdict): void {
  const { network, ledger } = emitter.state;
  const key = keyOf({ host, port });
  if (network.allowed.includes(key)) return answerGate(emitter, { host, port }, true);
  // Outside a turn there is no work for which a person could allow it.
  if (openTurn(ledger) === null || network.denied.includes(key)) return answerGate(emitter, { host, port }, false);
  const { backgroundHosts = [] } = emitter.state.opening?.sandbox?.gate ?? {};
  if (backgroundHosts.includes(host) && !isOpen(ledger, "tool")) return answerGate(emitter, { host, port }, false);
  if (network.held.some((one) => keyOf(one) === key)) return;
  const decision = `network-${emitter.record.seq}`;
  const calls = openScopes(ledger, "tool").slice(0, maxShownCalls);
  update(emitter, { held: [...network.held, { decision, host, port }] });
  emitter.emitOwn({
    type: "decision.requested",
    decision,
    kind: "network",
    title: `Connect to ${key}`,
    input: { host, port, calls: calls.map((call) => ({ call: call.key, tool: call.name })) },
  });
}

function timedOut(emitter: Emitter, { host, port }: Verdict): void {
  const held = emitter.state.network.held.find((one) => one.host === host && one.port === port);
  if (held === undefined) return;
  update(emitter, { held: emitter.state.network.held.filter((one) => one !== held) });
  if (openRequest(emitter.state.ledger, held.decision)?.kind !== "network") return;
  const message = "No answer came in time. The connection was refused.";
  const by = { kind: "runtime" } as const;
  emitter.emitOwn({ type: "decision.resolved", decision: held.decision, outcome: "timed-out", by, message });
}

function report(emitter: Emitter, { host, port, verdict, rule }: Verdict): void {
  const key = `${host}:${port} ${verdict} ${rule}`;
  const { reported } = emitter.state.network;
  if (verdict === "held" || reported.includes(key) || reported.length >= maxReported) return;
  update(emitter, { reported: [...reported, key] });
  emitter.emitOwn({ type: "network.judged", host, port, verdict, rule, enforcedBy: "gate" });
}

/** Forgets what was about an earlier turn. */
function beginTurn(emitter: Emitter): void {
  const turn = openTurn(emitter.state.ledger);
  if (turn !== emitter.state.network.turn) update(emitter, { turn, denied: [], reported: [] });
}

function answerGate(emitter: Emitter, { host, port }: Pick<HeldConnection, "host" | "port">, allow: boolean): void {
  emitter.enqueueEffect({ type: "network", host, port, allow });
}

function update(emitter: Emitter, change: Partial<NetworkState>): void {
  emitter.state = { ...emitter.state, network: { ...emitter.state.network, ...change } };
}

const keyOf = ({ host, port }: Pick<HeldConnection, "host" | "port">): string => `${host}:${port}`;
