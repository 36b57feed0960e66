import type { NatsConnection } from "@nats-io/transport-node";

const timeout = 2_000;

/** Sends a request that each server answers, and returns their answers as one text. */
export async function askAll(connection: NatsConnection, subject: string, query: object): Promise<string> {
  const answers = await connection.requestMany(subject, JSON.stringify(query), {
    strategy: "stall",
    stall: 300,
    maxWait: timeout,
  });
  let text = "";
  for await (const answer of answers) text += answer.string();
  return text;
}
