import { isUtf8 } from "node:buffer";
import type { Adapter, Delta, Draft, SpoolRecord } from "@fairlead/contract";
import { Fold } from "@fairlead/kit";

/**
 * A spool as text, a record a line: what can be read is written as `text`, the rest as `base64`. Paths of the machine
 * it was made on are replaced, so that recordings from anywhere look alike.
 */
export function toRecording(records: readonly SpoolRecord[], paths: Readonly<Record<string, string>>): string {
  return records
    .map(({ bytes, ...rest }) => {
      const buffer = Buffer.from(bytes);
      if (!isUtf8(buffer)) return JSON.stringify({ ...rest, base64: buffer.toString("base64") });
      let text = buffer.toString("utf8");
      for (const [path, name] of Object.entries(paths)) text = text.replaceAll(path, name);
      return JSON.stringify({ ...rest, text });
    })
    .map((line) => `${line}\n`)
    .join("");
}

export function fromRecording(recording: string): SpoolRecord[] {
  return lines(recording).map((line) => {
    const { text, base64, ...rest } = JSON.parse(line) as Omit<SpoolRecord, "bytes"> & {
      text?: string;
      base64?: string;
    };
    return { ...rest, bytes: Buffer.from(text ?? base64 ?? "", text === undefined ? "base64" : "utf8") };
  });
}

/** The events and the deltas that a recording gives. */
export function toldOf(adapter: Adapter, records: readonly SpoolRecord[]): (Draft | Delta)[] {
  const fold = new Fold(adapter);
  return records.flatMap((record) => fold.take(record).told);
}

export function draftsOf(adapter: Adapter, records: readonly SpoolRecord[]): Draft[] {
  return toldOf(adapter, records).filter((one) => "body" in one);
}

export function toLines(told: readonly (Draft | Delta)[]): string {
  return told.map((one) => `${JSON.stringify(one)}\n`).join("");
}

export function lines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}
