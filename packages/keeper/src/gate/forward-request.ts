import type { LookupAddress } from "node:dns";
import { type ClientRequest, type IncomingMessage, request as requestHttp, type ServerResponse } from "node:http";
import { request as requestHttps } from "node:https";
import { constants } from "node:os";
import { type Duplex, pipeline } from "node:stream";
import { pinnedLookup } from "./connect-target.ts";
import { type Target, targetKey } from "./judge-host.ts";
import { resetConnection } from "./reset-connection.ts";
import { spliceSockets } from "./splice-sockets.ts";

/** Headers that concern one connection and not the request. */
const connectionHeaders: readonly string[] =
  "connection proxy-connection proxy-authorization proxy-authenticate keep-alive te trailer transfer-encoding upgrade host".split(
    " ",
  );
/** Headers in which an agent can send a key. */
const credentialHeaders: readonly string[] = ["authorization", "x-api-key", "x-goog-api-key"];

export interface ForwardOptions {
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
  options: ForwardOptions,
): ClientRequest {
  // Without it, the body of a method that has none as a rule would be read as the next request.
  const isChunked = incoming.headers["transfer-encoding"] !== undefined;
  const outgoing = openRequest(incoming, options, isChunked ? ["Transfer-Encoding", "chunked"] : []);
  const fail = (reason: string): void => {
    failResponse(response, `The host ${targetKey(options.origin)} could not be reached: ${reason}\n`);
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

/**
 * Sends on a request for another protocol, such as a web socket. If the host agrees, both ends are connected. Otherwise its
 * answer is copied.
 */
export function forwardUpgrade(
  incoming: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  options: ForwardOptions,
): ClientRequest {
  const outgoing = openRequest(incoming, options, ["Connection", "Upgrade", "Upgrade", incoming.headers.upgrade ?? ""]);
  outgoing.on("upgrade", (answer, upstream, firstBytes) => {
    socket.write(formatHead(answer, answer.rawHeaders));
    socket.write(firstBytes);
    upstream.write(head);
    spliceSockets(socket, upstream);
  });
  outgoing.on("response", (answer) => {
    socket.write(formatHead(answer, [...withoutHeaders(answer.rawHeaders, connectionHeaders), "Connection", "close"]));
    pipeline(answer, socket, () => socket.destroy());
  });
  outgoing.on("error", () => refuseUpgrade(socket));
  outgoing.end();
  socket.once("close", () => outgoing.destroy());
  return outgoing;
}

/**
 * Refuses another protocol because the host cannot be reached. The client then uses HTTP, whose connection is reset. If this
 * one were reset, an agent would report that it lost a connection.
 */
export function refuseUpgrade(socket: Duplex): void {
  const headers = "Upgrade: HTTP/1.1\r\nConnection: Upgrade, close\r\nContent-Length: 0\r\n";
  socket.end(`HTTP/1.1 426 Upgrade Required\r\n${headers}\r\n`, () => socket.destroy());
}

/** Opens the request that is sent on, without its body. */
function openRequest(
  incoming: IncomingMessage,
  { origin, path, addresses, credential }: ForwardOptions,
  headers: readonly string[],
): ClientRequest {
  const { protocol, host, port } = origin;
  const dropped = credential === undefined ? connectionHeaders : [...connectionHeaders, ...credentialHeaders];
  const request = protocol === "http:" ? requestHttp : requestHttps;
  return request({
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
      ...headers,
    ],
    setHost: false,
    agent: false,
    lookup: pinnedLookup(addresses),
  });
}

function formatHead({ statusCode, statusMessage }: IncomingMessage, rawHeaders: readonly string[]): string {
  const lines = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}\r\n`] : []));
  return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join("")}\r\n`;
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
