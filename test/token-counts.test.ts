import { adapters } from "@fairlead/adapters";
import { readRecordings, replayEvents } from "@fairlead/conformance";
import type { AgentEvent, SpoolRecord } from "@fairlead/contract";
import { invalidEventPrefix } from "@fairlead/reducer";
import { describe, expect, test } from "vitest";

const adaptersFolder = new URL("../packages/adapters/src/", import.meta.url);
/** Names under which agents report token counts. */
const countName = /(\\?")(\w*[tT]oken\w*|input|output|cached|read|write|cacheRead|cacheWrite)\1: ?\d+/g;

/** Replaces the token counts in the agent's output, and in transcripts, whose lines are texts within notes. */
function withCounts(records: readonly SpoolRecord[], count: string): SpoolRecord[] {
  return records.map((record) =>
    record.kind === "out" || record.kind === "err" || record.kind === "note"
      ? {
          ...record,
          bytes: Buffer.from(Buffer.from(record.bytes).toString("utf8").replaceAll(countName, `$1$2$1:${count}`)),
        }
      : record,
  );
}

describe.each(
  adapters
    .filter(({ manifest }) => manifest.capabilities.includes("usage"))
    .map((one) => [one.manifest.id, one] as const),
)("%s", (id, adapter) => {
  test.each(["-7", "0.5", "1e300", "1e999", "9007199254740993"])(
    "a token count of %s costs no event of the turn",
    (count) => {
      const isOther = ({ type }: AgentEvent): boolean => type !== "usage.reported" && type !== "unrecognized";
      let reports = 0;
      for (const { records } of readRecordings(new URL(`${id}/fixtures/`, adaptersFolder))) {
        const before = replayEvents(adapter, records).map(({ body }) => body);
        const after = replayEvents(adapter, withCounts(records, count)).map(({ body }) => body);
        reports += before.filter(({ type }) => type === "usage.reported").length;
        expect(after.filter(({ type }) => type === "usage.reported")).toEqual([]);
        expect(after.filter(isOther)).toEqual(before.filter(isOther));
        const reasons = after.flatMap((body) => (body.type === "unrecognized" ? [body.reason] : []));
        expect(reasons.filter((reason) => reason.startsWith(invalidEventPrefix))).toEqual([]);
      }
      expect(reports).toBeGreaterThan(3);
    },
  );
});
