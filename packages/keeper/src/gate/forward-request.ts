import type { LookupAddress } from "node:dns";
import { type ClientRequest, type IncomingMessage, request as requestHttp, type ServerResponse } from "node:http";
import { request as requestHttps } from "node:https";
import { constants } from "node:os";
import { pipeline } from "node:stream";
import { pinnedLookup } from "./connect-target.ts";
import { type Target, targetKey } from "./judge-host.ts";
import { resetConnection } from "./reset-connection.ts";

/** Headers that concern one connection and not the request. */
const connectionHeaders: readonly string[] =
  "connection proxy-connection proxy-authorization proxy-authenticate keep-alive te trailer transfer-encoding upgrade host".split(
    " ",
  );
/** Headers in which an agent can send a key. */
const credentialHeaders: readonly string[] = ["authorization", "x-api-key", "x-goog-api-key"];

interface ForwardOptions {
  readonly origin: Target & { readonly protocol: "http:" | "https:" };
  readonly path: string;
  /** The addresses that were judged. */
  readonly addresses: readonly LookupAddress[];
  /** The header that replaces the agent's own key. */
  readonly credential?: { readonly header: string; readonly value: string };
}

/** Sends a request on and copies the answer. Neither body is kept: both are streams, and can be of any length. */
export function forwardRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
  { origin, path, addresses, credential }: ForwardOptions,
): ClientRequest {
  const { protocol, host, port } = origin;
  const dropped = credential === undefined ? connectionHeaders : [...connectionHeaders, ...credentialHeaders];
  const request = protocol === "http:" ? requestHttp : requestHttps;
  const outgoing = request({
    host,
    port,
    method: incoming.method,
    path,
    headers: [
      ...withoutHeaders(incoming.rawHeaders, dropped),
      ...(credential === undefined ? [] : [credential.header, credential.value]),
      // The name that was judged, whatever the agent put into the header.
      "Host",
      port === (protocol === "http:" ? 80 : 443) ? host : targetKey(origin),
      // Without it, the body of a method that has none as a rule would be read as the next request.
      ...(incoming.headers["transfer-encoding"] === undefined ? [] : ["Transfer-Encoding", "chunked"]),
    ],
    setHost: false,
    agent: false,
    lookup: pinnedLookup(addresses),
  });
  const fail = (reason: string): void => {
    failResponse(response, `The host ${targetKey(origin)} could not be reached: ${reason}\n`);
    outgoing.destroy();
  };
  outgoing.on("response", (answer) => {
    try {
      response.writeHead(answer.statusCode ?? 502, withoutHeaders(answer.rawHeaders, connectionHeaders));
    } catch (error) {
      return fail(`its answer is invalid: ${String(error)}`); // a status or a header that may not be sent
    }
    // At once: an agent can wait for the headers of a long answer.
    response.flushHeaders();
    pipeline(answer, response, () => {});
  });
  outgoing.on("upgrade", () => fail("it changed the protocol"));
  // Also after the request was sent: a server can reset the connection before it answers.
  outgoing.on("error", (error) => {
    if (isConnectionFailure(error) && !response.headersSent) resetConnection(response.socket);
    else fail(error.message);
  });
  pipeline(incoming, outgoing, () => {});
  response.once("close", () => outgoing.destroy());
  return outgoing;
}

/** Answers a request with a sentence. What is left of the request is not read. */
export function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" }).end(message);
}

/** Whether the network failed, and not what was said over it: a certificate, or a text that is not HTTP. */
const isConnectionFailure = ({ code = "" }: NodeJS.ErrnoException): boolean => Object.hasOwn(constants.errno, code);

function failResponse(response: ServerResponse, message: string): void {
  if (response.headersSent) response.destroy();
  else refuse(response, 502, message);
}

function withoutHeaders(rawHeaders: readonly string[], dropped: readonly string[]): string[] {
  const headers: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = "", value = ""] = rawHeaders.slice(index, index + 2);
    if (!dropped.includes(name.toLowerCase())) headers.push(name, value);
  }
  return headers;
}
