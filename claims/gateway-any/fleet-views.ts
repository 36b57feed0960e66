import { isDeepStrictEqual } from "node:util";
import { listSessions, type Fairlead, type SessionView } from "@fairlead/api";
import type { Event } from "@fairlead/contract";
import type { Engine } from "@fairlead/engine";
import { decodeEvents } from "@fairlead/runtime";

/** What both the log and a list say about a session. */
interface SessionFacts {
  readonly session: string;
  readonly last: number;
  readonly turns: number;
  readonly hasEnded: boolean;
}

/** Reads the events of all sessions from the log of a fleet. */
export async function readLog({ log }: Engine): Promise<ReadonlyMap<string, readonly Event[]>> {
  const sessions = new Map<string, readonly Event[]>();
  for await (const { session } of log.sessions())
    sessions.set(session, await Array.fromAsync(decodeEvents(log.read(session, 0))));
  return sessions;
}

/** Reads the list of all sessions at a gateway. Small pages, so that several are joined. */
export async function readList(fairlead: Fairlead): Promise<SessionView[]> {
  return await Array.fromAsync(listSessions(fairlead, { order: "session", limit: 20 }));
}

/** Returns the differences between lists of gateways, and between the first of them and the log. */
export function compareLists(
  lists: readonly (readonly SessionView[])[],
  log: ReadonlyMap<string, readonly Event[]>,
): string[] {
  const [first = [], ...others] = lists;
  const expected = [...log].map(([session, events]) => summarize(session, events));
  const listed = first.map(({ session, last, turns, state }) => ({
    session,
    last,
    turns,
    hasEnded: state === "ended",
  }));
  const byId = (one: SessionFacts, other: SessionFacts): number => (one.session < other.session ? -1 : 1);
  return [
    ...others.flatMap((list, index) =>
      isDeepStrictEqual(list, first) ? [] : [`The lists of gateways 1 and ${index + 2} differ.`],
    ),
    ...(isDeepStrictEqual(listed.toSorted(byId), expected.toSorted(byId))
      ? []
      : [`The lists differ from the log: ${listed.length} sessions in the list, ${expected.length} in the log.`]),
  ];
}

/** Counts the turns by the text of their message, in all sessions. */
export function countTurns(log: ReadonlyMap<string, readonly Event[]>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { body } of [...log.values()].flat()) {
    if (body.type !== "turn.started") continue;
    const text = body.input.replace(/ SCRIPT:.*/s, "");
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}

function summarize(session: string, events: readonly Event[]): SessionFacts {
  const count = (type: Event["body"]["type"]): number => events.filter(({ body }) => body.type === type).length;
  const { sequence: last = 0 } = events.at(-1) ?? {};
  return { session, last, turns: count("turn.started"), hasEnded: count("session.ended") > 0 };
}
