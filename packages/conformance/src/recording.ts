import { isUtf8 } from "node:buffer";
import type { Adapter, Delta, EventDraft, SpoolRecord } from "@fairlead/contract";
import { SessionReducer } from "@fairlead/reducer";

/**
 * Formats a spool as JSON lines, one per record: UTF-8 bytes as `text`, other bytes as `base64`. Replaces the paths of
 * this machine by placeholders, so that recordings do not depend on the machine that made them.
 */
export function formatRecording(records: readonly SpoolRecord[], paths: Readonly<Record<string, string>>): string {
  return records
    .map(({ bytes, ...fields }) => {
      const buffer = Buffer.from(bytes);
      if (!isUtf8(buffer)) return JSON.stringify({ ...fields, base64: buffer.toString("base64") });
      let text = buffer.toString("utf8");
      for (const [path, placeholder] of Object.entries(paths)) text = text.replaceAll(path, placeholder);
      return JSON.stringify({ ...fields, text });
    })
    .map((line) => `${line}\n`)
    .join("");
}

export function parseRecording(recording: string): SpoolRecord[] {
  return nonEmptyLines(recording).map((line) => {
    const { text, base64, ...fields } = JSON.parse(line) as Omit<SpoolRecord, "bytes"> & {
      text?: string;
      base64?: string;
    };
    return { ...fields, bytes: Buffer.from(text ?? base64 ?? "", text === undefined ? "base64" : "utf8") };
  });
}

/** Reduces the records of a recording to events and deltas. */
export function replayRecords(adapter: Adapter, records: readonly SpoolRecord[]): (EventDraft | Delta)[] {
  const reducer = new SessionReducer(adapter);
  return records.flatMap((record) => reducer.reduce(record).outputs);
}

export function replayEvents(adapter: Adapter, records: readonly SpoolRecord[]): EventDraft[] {
  return replayRecords(adapter, records).filter((output) => "body" in output);
}

export function toJsonLines(outputs: readonly (EventDraft | Delta)[]): string {
  return outputs.map((output) => `${JSON.stringify(output)}\n`).join("");
}

export function nonEmptyLines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}
