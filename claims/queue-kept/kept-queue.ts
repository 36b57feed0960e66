import type { AgentEvent } from "@fairlead/contract";

/** What became of the messages that sessions accepted. */
export interface QueueReport {
  readonly sequences: number;
  readonly messages: number;
  /** Messages that were announced by `message.queued`. */
  readonly queued: number;
  readonly turns: number;
  readonly returned: number;
  /** Messages that became neither a turn nor an event that returns them. */
  readonly lost: number;
  /** Messages that became more than one of them. */
  readonly doubled: number;
  /** Sessions whose messages still waited when they should have been processed. */
  readonly stuck: number;
  readonly kills: number;
}

export const emptyQueueReport: QueueReport = {
  sequences: 0,
  messages: 0,
  queued: 0,
  turns: 0,
  returned: 0,
  lost: 0,
  doubled: 0,
  stuck: 0,
  kills: 0,
};

export function addQueueReports(one: QueueReport, other: QueueReport): QueueReport {
  const keys = Object.keys(emptyQueueReport) as (keyof QueueReport)[];
  return Object.fromEntries(keys.map((key) => [key, one[key] + other[key]])) as unknown as QueueReport;
}

/** Judges the journal of one session, given the turns of all messages that it accepted. */
export function judgeQueue(
  bodies: readonly AgentEvent[],
  accepted: readonly string[],
): Omit<QueueReport, "sequences" | "stuck" | "kills"> {
  const count = (type: AgentEvent["type"], turn: string): number =>
    bodies.filter((body) => body.type === type && "turn" in body && body.turn === turn).length;
  const fates = accepted.map((turn) => ({
    queued: count("message.queued", turn),
    turns: count("turn.started", turn),
    returned: count("message.returned", turn),
  }));
  const sum = (key: "queued" | "turns" | "returned"): number => fates.reduce((total, fate) => total + fate[key], 0);
  return {
    messages: accepted.length,
    queued: sum("queued"),
    turns: sum("turns"),
    returned: sum("returned"),
    lost: fates.filter(({ turns, returned }) => turns + returned === 0).length,
    doubled: fates.filter(({ turns, returned, queued }) => turns + returned > 1 || queued > 1).length,
  };
}
