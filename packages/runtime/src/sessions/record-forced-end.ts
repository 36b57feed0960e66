import {
  advance,
  closingEvents,
  emptyLedger,
  FairleadError,
  type AgentEvent,
  type Event,
  type EventDraft,
  type Ledger,
} from "@fairlead/contract";
import type { Hosts } from "@fairlead/engine";
import type { Claim, EventLog, Journal } from "@fairlead/journal";
import { realClock } from "../actor/clock.ts";
import { JournalWriter, type JournalWriterOptions } from "../actor/journal-writer.ts";
import { decodeEvents, readNewestEvent } from "../actor/stored-events.ts";
import type { Home } from "../home.ts";
import { describeForcedEnd } from "./describe-forced-end.ts";
import { writeEndMarker } from "./end-marker.ts";
import { claimHere } from "./start/claim-here.ts";

/** Milliseconds to wait for a journal that cannot be written, for example because the disk is full. */
const writeTimeout = 5000;

export interface ForcedEnd extends Pick<JournalWriterOptions, "session" | "owner" | "onJournaled"> {
  readonly home: Home;
  readonly journal: Journal;
  readonly hosts: Pick<Hosts, "isElsewhere">;
  /** Why the session had to be ended without its actor. */
  readonly cause: unknown;
  /** The claim to append with. By default, the session is claimed, and with that taken from any other process of this host. */
  readonly claim?: Claim;
}

/**
 * Records the end of a session whose processes were killed and whose actor cannot record it: in the journal, or, if the
 * end of its journal is damaged or lost, in the session's folder. Throws `fenced` if another host has the session.
 */
export async function recordForcedEnd(end: ForcedEnd): Promise<void> {
  const { session, home, journal, hosts, owner, cause } = end;
  try {
    // A journal that has lost the session must not get an end without a start.
    const isLost = end.claim === undefined && (await journal.tail(session)).epoch === 0;
    if (!isLost) return await appendEnd(end, end.claim ?? (await claimHere({ journal, hosts, owner }, session)));
  } catch (error) {
    if (!FairleadError.is(error, "corrupt")) throw error;
  }
  const { message: problem } = describeForcedEnd(cause);
  writeEndMarker(home.endMarkerFile(session), { endedAt: new Date().toISOString(), problem });
}

/**
 * Closes what the journal shows as open, then ends the session as lost, because the exit of its agent is unknown. If
 * earlier events cannot be read, only the end is appended.
 */
async function appendEnd({ session, journal, cause, ...options }: ForcedEnd, claim: Claim): Promise<void> {
  const newest = await readNewestEvent(journal, session).catch(() => undefined);
  if (newest?.body.type === "session.ended") return;
  const ledger = await readLedger(journal, session);
  const bodies: AgentEvent[] = [
    { type: "error.raised", ...describeForcedEnd(cause) },
    ...closingEvents(ledger, "session", { turn: "failed", tool: "unfinished", message: "ended" }),
    { type: "session.ended", reason: "lost", exit: null },
  ];
  const { owner, onJournaled } = options;
  const observer = onJournaled && { onJournaled };
  const writer = new JournalWriter({ session, owner, log: journal, claim, clock: realClock, ...observer });
  await writer.append(draftEvents(session, newest, ledger, bodies), AbortSignal.timeout(writeTimeout));
}

async function readLedger(log: EventLog, session: string): Promise<Ledger> {
  let ledger = emptyLedger;
  try {
    for await (const { body } of decodeEvents(log.read(session, 0))) ledger = advance(ledger, body).ledger;
    return ledger;
  } catch (error) {
    if (!FairleadError.is(error, "corrupt")) throw error;
    return emptyLedger;
  }
}

function draftEvents(
  session: string,
  newest: Event | undefined,
  before: Ledger,
  bodies: readonly AgentEvent[],
): EventDraft[] {
  const occurredAt = new Date().toISOString();
  const { agent = "unknown", model = null, spool = 1 } = newest ?? {};
  let ledger = before;
  return bodies.map((body, index) => {
    const openTurn = ledger.open.find(({ scope }) => scope === "turn")?.key ?? null;
    ledger = advance(ledger, body).ledger;
    const turn = body.type === "session.ended" ? null : openTurn;
    return { id: `${session}/end.${index}`, session, turn, occurredAt, agent, model, spool, synthetic: true, body };
  });
}
