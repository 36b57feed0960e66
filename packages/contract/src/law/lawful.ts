import type { Event } from "../event.ts";
import { advance, emptyLedger, openTurn, type Ledger } from "./ledger.ts";

export interface Violation {
  readonly sequence: number;
  readonly says: string;
}

/**
 * Every way in which a journal breaks the law: none, if it is lawful. A journal may stop anywhere, for a session may
 * still be going on; with `whole`, it must also have come to its lawful end.
 */
export function lawful(events: readonly Event[], options: { whole?: boolean } = {}): Violation[] {
  const violations: Violation[] = [];
  let ledger: Ledger = emptyLedger;
  const ids = new Set<string>();
  let previous: Event | undefined;
  for (const event of events) {
    const complain = (says: string): void => void violations.push({ sequence: event.sequence, says });
    const turn = event.body.type === "turn.started" ? event.body.turn : openTurn(ledger);
    const step = advance(ledger, event.body);
    ledger = step.ledger;
    if (step.violation !== null) complain(step.violation);
    if (event.turn !== turn) complain(`the envelope names turn ${event.turn} while ${turn} is open`);
    if (event.sequence !== (previous?.sequence ?? 0) + 1) complain("the sequence is not dense from 1");
    if (previous && event.session !== previous.session) complain("the session changes");
    if (previous && event.epoch < previous.epoch) complain("the epoch goes back");
    if (previous && event.spool < previous.spool) complain("the spool position goes back");
    if (ids.has(event.id)) complain("an id is used twice");
    ids.add(event.id);
    previous = event;
  }
  if (options.whole && !ledger.over) {
    violations.push({ sequence: previous?.sequence ?? 0, says: "the session has not ended" });
  }
  return violations;
}
