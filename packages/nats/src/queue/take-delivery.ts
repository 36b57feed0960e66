import type { Msg } from "@nats-io/transport-node";
import { randomUUID } from "node:crypto";
import { readDeliveryNumbers } from "./delivery-numbers.ts";
import type { OpenRecord } from "./job-record.ts";
import type { JobRecords } from "./job-records.ts";
import { NatsTicket } from "./nats-ticket.ts";

/** The part of a lease after which it is begun again before the taker gets the ticket. */
const usedShare = 0.05;

/**
 * Makes this process the newest taker of the job that a message names. Returns undefined if the job has ended, is known from
 * another message, or has a newer taker.
 */
export async function takeDelivery(
  records: JobRecords,
  message: Msg,
  { lease, signal }: { readonly lease: number; readonly signal: AbortSignal },
): Promise<NatsTicket | undefined> {
  const deliveredAt = performance.now();
  const key = message.json<string>();
  const { sequence, delivery } = readDeliveryNumbers(message.reply ?? "");
  for (;;) {
    const stored = await records.read(key, signal);
    const { record, revision } = stored ?? { record: undefined, revision: 0 };
    if (record === undefined) {
      // The message may be newer than what a deposed leader knows. Only a write that succeeds proves that there is no record.
      if ((await records.write({ state: "free", key, id: randomUUID() }, 0)) !== undefined) message.respond("+ACK");
      else continue;
      return undefined;
    }
    if (record.state !== "open" || (record.taken !== undefined && record.taken.sequence !== sequence)) {
      message.respond("+ACK");
      return undefined;
    }
    // This message is older than the one of the newest taker. No acknowledgment, as that would be one for the newest taker.
    if ((record.taken?.delivery ?? 0) >= delivery) return undefined;
    const attempt = (record.taken?.attempt ?? 0) + 1;
    const taken = { attempt, sequence, delivery, taker: randomUUID() };
    const next: OpenRecord & { taken: typeof taken } = { ...record, taken };
    const newRevision = await records.write(next, revision);
    if (newRevision === undefined) continue;
    // The server began the lease when it sent the message. If a leader was elected since, little may be left of it.
    const now = performance.now();
    const isUsed = now - deliveredAt > usedShare * lease;
    if (isUsed) message.respond("+WPI");
    return new NatsTicket({
      records,
      message,
      record: next,
      revision: newRevision,
      lease,
      leasedAt: isUsed ? now : deliveredAt,
    });
  }
}
