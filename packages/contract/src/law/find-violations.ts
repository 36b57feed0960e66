import type { Event } from "../event.ts";
import { advance, emptyLedger, openTurn, type Ledger } from "./ledger.ts";

export interface Violation {
  readonly sequence: number;
  readonly message: string;
}

/**
 * Returns all violations of the law in a journal; none if it is lawful. A journal may stop anywhere, because the
 * session may still be running. With `complete`, the session must also have ended.
 */
export function findViolations(events: readonly Event[], options: { complete?: boolean } = {}): Violation[] {
  const violations: Violation[] = [];
  let ledger: Ledger = emptyLedger;
  const ids = new Set<string>();
  let previous: Event | undefined;
  for (const event of events) {
    const report = (message: string): void => void violations.push({ sequence: event.sequence, message });
    const turn = event.body.type === "turn.started" ? event.body.turn : openTurn(ledger);
    const result = advance(ledger, event.body);
    ledger = result.ledger;
    if (result.violation !== null) report(result.violation);
    if (event.turn !== turn) report(`the envelope names turn ${event.turn} while ${turn} is open`);
    if (event.sequence !== (previous?.sequence ?? 0) + 1) report("the sequence is not dense from 1");
    if (previous && event.session !== previous.session) report("the session changes");
    if (previous && event.epoch < previous.epoch) report("the epoch decreases");
    if (previous && event.spool < previous.spool) report("the spool position decreases");
    if (ids.has(event.id)) report("an id is used twice");
    ids.add(event.id);
    previous = event;
  }
  if (options.complete && !ledger.over) {
    violations.push({ sequence: previous?.sequence ?? 0, message: "the session has not ended" });
  }
  return violations;
}
