import { FairleadError } from "@fairlead/contract";
import { z } from "zod";

/** The newest taker of a job. */
const Taken = z.object({
  /** The number of times that the job was taken. */
  attempt: z.number(),
  /** The message of the job. A second message with the job, from a repeated `put`, has another sequence. */
  sequence: z.number(),
  /** How often the consumer had delivered the message when the taker got it. An older delivery cannot become the newest taker. */
  delivery: z.number(),
  /** A random name, so that a taker knows its own record again after a lost answer. */
  taker: z.string(),
});

/** A job that has not ended. */
const OpenRecord = z.object({
  state: z.literal("open"),
  /** A random name, so that its writer knows the record again after a lost answer. */
  id: z.string(),
  key: z.string(),
  pool: z.string(),
  kind: z.string(),
  params: z.unknown(),
  taken: Taken.optional(),
});

/** An outcome. */
const EndedRecord = z.object({ state: z.literal("ended"), key: z.string(), taker: z.string(), outcome: z.unknown() });

/** A message without a record was found, and dropped. The key is free. */
const FreeRecord = z.object({ state: z.literal("free"), key: z.string(), id: z.string() });

/** What the queue knows about a key. */
export const JobRecord = z.discriminatedUnion("state", [OpenRecord, EndedRecord, FreeRecord]);
export type JobRecord = z.infer<typeof JobRecord>;
export type OpenRecord = z.infer<typeof OpenRecord>;

/** The servers of a fleet accept messages of 8 MiB, headers included. */
const maxRecordBytes = 7 * 1024 ** 2;

/** Throws `too-large` if the record does not fit into a message. */
export function encodeJobRecord(record: JobRecord): Buffer {
  const bytes = Buffer.from(JSON.stringify(record));
  if (bytes.length <= maxRecordBytes) return bytes;
  const content = record.state === "ended" ? "The outcome" : "The job";
  const sizes = `it has ${bytes.length} bytes as JSON, and ${maxRecordBytes} are allowed`;
  throw new FairleadError("too-large", `${content} with the key "${record.key.slice(0, 40)}" is too large: ${sizes}.`);
}

export function decodeJobRecord(bytes: Uint8Array): JobRecord {
  try {
    return JobRecord.parse(JSON.parse(Buffer.from(bytes).toString()));
  } catch (cause) {
    throw new FairleadError("corrupt", "The record of a job cannot be read. Another version may have written it.", {
      cause,
    });
  }
}
