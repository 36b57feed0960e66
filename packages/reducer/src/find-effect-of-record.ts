import type { SpoolRecord } from "@fairlead/contract";
import type { PendingEffect } from "./emitter.ts";

const effectTypes: Readonly<Partial<Record<SpoolRecord["kind"], readonly PendingEffect["effect"]["type"][]>>> = {
  launch: ["launch"],
  in: ["write"],
  "stdin-closed": ["close-stdin"],
  signal: ["signal", "kill"],
  network: ["network"],
};

/**
 * Finds the effect that a record shows as executed. An effect has the number of the record that caused it and its
 * position among the effects of that record. An older version may have counted the positions differently, so that an
 * effect of the same record and content is the same effect. Without this, an upgrade would execute it a second time.
 */
export function findEffectOfRecord(
  record: SpoolRecord,
  pending: ReadonlyMap<string, PendingEffect>,
): PendingEffect | undefined {
  const exact = pending.get(record.id);
  const types = effectTypes[record.kind];
  const cause = /^\d+\./.exec(record.id)?.[0];
  if (types === undefined || cause === undefined) return exact;
  const isExecuted = ({ effect }: PendingEffect): boolean =>
    types.includes(effect.type) && (effect.type !== "write" || effect.text === decode(record));
  if (exact !== undefined && isExecuted(exact)) return exact;
  for (const effect of pending.values()) if (effect.id.startsWith(cause) && isExecuted(effect)) return effect;
  return exact;
}

function decode({ bytes }: SpoolRecord): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}
