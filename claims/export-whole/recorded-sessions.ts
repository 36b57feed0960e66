import { adapters } from "@fairlead/adapters";
import { readRecordings, replayEvents } from "@fairlead/conformance";
import type { Event } from "@fairlead/contract";
import { root } from "../../scripts/run.ts";
import { pathToFileURL } from "node:url";

/** The events of one session. */
export interface RecordedSession {
  readonly name: string;
  readonly events: readonly Event[];
}

/** Replays the recordings of all adapters: conversations with the real programs. */
export function readRecordedSessions(): RecordedSession[] {
  return adapters.flatMap((adapter) => {
    const { id } = adapter.manifest;
    const recordings = readRecordings(pathToFileURL(`${root}/packages/adapters/src/${id}/fixtures/`));
    return recordings.map(({ name, records }) => ({
      name: `${id}: ${name}`,
      events: replayEvents(adapter, records).map((draft, at): Event => ({ ...draft, sequence: at + 1, epoch: 1 })),
    }));
  });
}
