import type { AgentEventType, Event } from "@fairlead/contract";
import { eventLogFields } from "./log-fields.ts";
import type { Logger } from "./logger.ts";
import type { EventObserver, SessionFailure } from "@fairlead/service";

/** Events that are logged at the level `info`. The others are logged at `debug`, except errors. */
const infoEvents: ReadonlySet<AgentEventType> = new Set<AgentEventType>([
  "session.started",
  "session.paused",
  "session.resumed",
  "session.ended",
  "lead.changed",
  "turn.ended",
  "decision.requested",
  "decision.resolved",
]);

/** Logs one line per event, without its content unless the logger is configured to include it. */
export class EventLogger implements EventObserver {
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  onEvent(event: Event): void {
    const { type } = event.body;
    if (type === "error.raised" || type === "unrecognized") this.#log.warn(type, eventLogFields(event));
    else if (infoEvents.has(type)) this.#log.info(type, eventLogFields(event));
    else this.#log.debug(type, eventLogFields(event));
  }

  onFailure({ session, error, retryIn }: SessionFailure): void {
    const message = retryIn === null ? "session cannot be driven" : "session cannot be driven now, retrying";
    this.#log.error(message, error, { session });
  }

  onIndexFailure(error: unknown): void {
    this.#log.error("the index of sessions cannot be updated, retrying; sessions are driven when it is", error);
  }

  onJournalLoss(error: unknown): void {
    this.#log.error("the journal has lost sessions", error);
  }

  onRecovered(session: string): void {
    this.#log.info("session is driven again", { session });
  }
}
