import type { AgentEventType, Event } from "@fairlead/contract";
import { factsOf } from "./facts.ts";
import type { Logger } from "./logger.ts";
import type { Observer } from "./observer.ts";

/** What is worth a line on an ordinary day; the rest is for whoever looks closer. */
const ordinary: ReadonlySet<AgentEventType> = new Set<AgentEventType>([
  "session.started",
  "session.paused",
  "session.resumed",
  "session.ended",
  "lead.changed",
  "turn.ended",
  "decision.requested",
  "decision.resolved",
]);

/** Writes a line for each event: that it happened, and not what was said. */
export class EventLines implements Observer {
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  saw(event: Event): void {
    const { type } = event.body;
    if (type === "error.raised" || type === "unrecognized") this.#log.warn(type, factsOf(event));
    else if (ordinary.has(type)) this.#log.info(type, factsOf(event));
    else this.#log.debug(type, factsOf(event));
  }
}
