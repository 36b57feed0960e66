import type { Msg, NatsConnection, Payload, RequestOptions } from "@nats-io/transport-node";

/** Decides about a request: `send` sends it and returns the answer. */
export type RequestInterceptor = (subject: string, send: () => Promise<Msg>, payload: Buffer) => Promise<Msg>;

/** Returns a connection whose requests pass an interceptor, which may drop them, or change or lose their answers. */
export function interceptRequests(connection: NatsConnection, intercept: RequestInterceptor): NatsConnection {
  return new Proxy(connection, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name !== "request") return value.bind(target) as unknown;
      return (subject: string, payload?: Payload, options?: RequestOptions) =>
        intercept(subject, () => target.request(subject, payload, options), Buffer.from(payload ?? ""));
    },
  });
}

/** The answer of a server that refuses a message with an error code. */
export function refusal(code: number): Msg {
  const error = { code: 400, err_code: code, description: `refused with code ${code}` };
  return { json: () => ({ error }), data: Buffer.from(JSON.stringify({ error })) } as unknown as Msg;
}
