import { z } from "zod";

// Two bodies of 32 MiB fit. A message that promises more is invalid, so that it cannot use up the memory of its reader.
export const maxBodySize = 64 * 1024 ** 2;

const BusId = z.string().regex(/^[0-9a-f]{24}$/);
const ServiceId = z.string().max(64);

/** Says where the rest of a message is that is too large to be sent as one. The reader fetches it in parts. */
export const LargeBody = z.object({
  holder: BusId,
  key: z.string().max(64),
  size: z.int().min(1).max(maxBodySize),
});
export type LargeBody = z.infer<typeof LargeBody>;

/** The beginning of a call. The body has the method and its parameters. */
export const CallHead = z.object({ large: LargeBody.optional() });
export type CallHead = z.infer<typeof CallHead>;

/** The beginning of a message from a host to the caller. */
export const AnswerHead = z.discriminatedUnion("type", [
  /** The call has begun. `host` names the bus that can be asked about it. */
  z.object({ type: z.literal("begun"), host: BusId }),
  /** This host does not carry out the call. */
  z.object({ type: z.literal("refused") }),
  /** The body is the reply. */
  z.object({ type: z.literal("reply"), large: LargeBody.optional() }),
  /** The body has the code and the message of an error. */
  z.object({ type: z.literal("error"), large: LargeBody.optional() }),
  /** The host's engine ends before the reply. */
  z.object({ type: z.literal("lost") }),
  /** The call is under way, or has ended. */
  z.object({ type: z.literal("status"), isUnderWay: z.boolean() }),
]);
export type AnswerHead = z.infer<typeof AnswerHead>;

/** A request to one bus. */
export const ProcessRequest = z.discriminatedUnion("type", [
  z.object({ type: z.literal("status"), call: z.string().max(4096) }),
  z.object({ type: z.literal("part"), key: z.string().max(64), part: z.int().min(0).max(4096) }),
]);
export type ProcessRequest = z.infer<typeof ProcessRequest>;

/** A host's service for a session, as others know it. */
export const ServiceEpoch = z.object({ epoch: z.int().min(0), id: ServiceId });
export type ServiceEpoch = z.infer<typeof ServiceEpoch>;

/** What hosts of one session tell each other. */
export const EpochMessage = z.object({
  /** `begin`: will take calls. `active`: takes calls. `ended`: takes none any more. */
  type: z.enum(["begin", "active", "ended"]),
  service: ServiceEpoch,
});
export type EpochMessage = z.infer<typeof EpochMessage>;

/** The answer to `begin`: the newest service that the answering one knew before. */
export const EpochAnswer = z.object({ by: ServiceId, newest: ServiceEpoch });
export type EpochAnswer = z.infer<typeof EpochAnswer>;

const lineEnd = 10;

/** Encodes a message: a line of JSON, and a body that nothing needs to parse twice. */
export function encodeMessage(head: object, body: Uint8Array = new Uint8Array()): Uint8Array {
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]);
}

/** Decodes a message. Returns undefined if its head is not as the schema says. */
export function decodeMessage<Head>(
  schema: z.ZodType<Head>,
  data: Uint8Array,
): { readonly head: Head; readonly body: Uint8Array } | undefined {
  const end = data.indexOf(lineEnd);
  const head = schema.safeParse(decodeBody(end === -1 ? data : data.subarray(0, end))).data;
  if (head === undefined) return undefined;
  return { head, body: end === -1 ? new Uint8Array() : data.subarray(end + 1) };
}

/** Encodes a value. Undefined is an empty body. Throws if JSON cannot represent the value. */
export function encodeBody(value: unknown): Uint8Array {
  return Buffer.from((JSON.stringify(value) as string | undefined) ?? "");
}

/** Decodes a value. Returns undefined for an empty body and for invalid JSON. */
export function decodeBody(body: Uint8Array): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString());
  } catch {
    return undefined;
  }
}
