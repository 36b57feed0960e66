/** What the subject for acknowledgments says about a delivered message. */
export interface DeliveryNumbers {
  /** How often the consumer has delivered the message. */
  readonly delivery: number;
  /** The message's sequence in the stream. */
  readonly sequence: number;
}

/**
 * Reads the subject for acknowledgments: `$JS.ACK.STREAM.CONSUMER.DELIVERY.SEQUENCE.…`. A server that has a domain puts it and
 * the account's hash before the stream, and then there are more than nine tokens.
 */
export function readDeliveryNumbers(reply: string): DeliveryNumbers {
  const tokens = reply.split(".");
  const first = tokens.length > 9 ? 6 : 4;
  return { delivery: Number(tokens[first]), sequence: Number(tokens[first + 1]) };
}
