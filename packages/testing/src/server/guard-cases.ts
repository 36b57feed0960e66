import { bearerSubprotocol, type Scope, scopesHeader, subprotocol } from "@fairlead/api";

/** A request that a stranger, a web page or an agent may send, and the status that it must get. */
export interface GuardCase {
  readonly name: string;
  /** The raw request. */
  readonly request: string;
  readonly status: number;
}

/** The service that the cases are for: a port of 127.0.0.1, and a token for each set of scopes. */
export interface GuardTarget {
  readonly port: number;
  readonly session: string;
  readonly tokens: Readonly<Record<"owner" | Exclude<Scope, "admin">, string>>;
}

interface RawRequest {
  readonly method?: string;
  readonly target?: string;
  /** Null omits the header. */
  readonly host?: string | null;
  readonly token?: string | null;
  readonly headers?: readonly string[];
  readonly body?: string;
  readonly upgrade?: boolean;
}

type CaseRow = readonly [name: string, status: number, request: RawRequest];

/** Returns all cases. Some must be accepted, because a guard that rejects everything would pass the others. */
export function guardCases(target: GuardTarget): GuardCase[] {
  const groups = [admittedCases, hostCases, originCases, tokenCases, scopeCases, mediaTypeCases, pathCases];
  return groups
    .flatMap((group) => group(target))
    .map(([name, status, request]) => {
      return { name: `${name}: ${status}`, request: formatRequest(request, target), status };
    });
}

function admittedCases({ port, session, tokens }: GuardTarget): CaseRow[] {
  const events = `/v1/sessions/${session}/events`;
  const ownOrigin = `Origin: http://127.0.0.1:${port}`;
  const offer = `Sec-WebSocket-Protocol: ${subprotocol}, ${bearerSubprotocol}${tokens.read}`;
  return [
    ["the owner", 200, {}],
    ["the host localhost", 200, { host: `localhost:${port}` }],
    ["the host in capitals", 200, { host: `LOCALHOST:${port}` }],
    ["a page of the service", 200, { headers: [ownOrigin, "Sec-Fetch-Site: same-origin"] }],
    ["a URL typed into the browser", 200, { headers: ["Sec-Fetch-Site: none"] }],
    ["a reader's page of events", 200, { token: tokens.read, target: events }],
    ["a reader's WebSocket", 101, { token: tokens.read, target: events, upgrade: true }],
    [
      "a WebSocket from a page of the service",
      101,
      { token: null, target: events, upgrade: true, headers: [ownOrigin, offer] },
    ],
  ];
}

function hostCases({ port, session }: GuardTarget): CaseRow[] {
  const names = [
    `evil.example:${port}`,
    "127.0.0.1",
    "localhost",
    "evil.example",
    `localhost:${port + 1}`,
    `127.1:${port}`,
    `127.0.0.1.evil.example:${port}`,
    `[::1]:${port}`,
    `0.0.0.0:${port}`,
    `localhost.:${port}`,
    `fairlead:${port}`,
  ];
  return [
    ...names.map((host): CaseRow => [`host ${host}`, 421, { host }]),
    [
      "a WebSocket with the host evil.example",
      421,
      { host: `evil.example:${port}`, target: `/v1/sessions/${session}/events`, upgrade: true },
    ],
    ["two Host headers", 400, { headers: ["Host: evil.example"] }],
    ["a host in the target", 400, { target: `http://evil.example/v1/health` }],
  ];
}

function originCases({ port, session }: GuardTarget): CaseRow[] {
  const origins = [
    "http://evil.example",
    "null",
    `https://127.0.0.1:${port}`,
    `http://127.0.0.1:${port}.evil.example`,
    "http://localhost:3000",
    "http://127.0.0.1",
    `http://evil.example:${port}`,
    "file://",
    "*",
  ];
  const target = `/v1/sessions/${session}/events`;
  return [
    ...origins.map((origin): CaseRow => [`origin ${origin}`, 403, { headers: [`Origin: ${origin}`] }]),
    ["a WebSocket from another page", 403, { target, upgrade: true, headers: ["Origin: http://evil.example"] }],
    ["from another site", 403, { headers: ["Sec-Fetch-Site: cross-site"] }],
    ["from another port of this machine", 403, { headers: ["Sec-Fetch-Site: same-site"] }],
    ["a WebSocket from another site", 403, { target, upgrade: true, headers: ["Sec-Fetch-Site: cross-site"] }],
    ["two Origin headers", 400, { headers: [`Origin: http://127.0.0.1:${port}`, "Origin: http://evil.example"] }],
  ];
}

function tokenCases({ session, tokens: { owner, read } }: GuardTarget): CaseRow[] {
  const events = `/v1/sessions/${session}/events`;
  const offer = `Sec-WebSocket-Protocol: ${subprotocol}, ${bearerSubprotocol}`;
  const almostToken = `${owner.slice(0, -1)}${owner.endsWith("A") ? "B" : "A"}`;
  return [
    ["without a token", 401, { token: null }],
    ["with a token that differs in one character", 401, { token: almostToken }],
    ["with the first characters of a token", 401, { token: owner.slice(0, 20) }],
    ["with an empty token", 401, { token: null, headers: ["Authorization: Bearer "] }],
    ["with another kind of credential", 401, { token: null, headers: [`Authorization: Basic ${owner}`] }],
    ["with the token in the query", 401, { token: null, target: `/v1/health?token=${owner}` }],
    ["with the token in a cookie", 401, { token: null, headers: [`Cookie: token=${owner}`] }],
    ["with two tokens", 400, { headers: [`Authorization: Bearer ${read}`] }],
    ["with a token in two places", 401, { headers: [offer + owner] }],
    ["a WebSocket without a token", 401, { token: null, target: events, upgrade: true }],
    [
      "a WebSocket with the token in the query",
      401,
      { token: null, target: `${events}?token=${owner}`, upgrade: true },
    ],
    [
      "a WebSocket with a wrong token",
      401,
      { token: null, target: events, upgrade: true, headers: [offer + almostToken] },
    ],
    ["an unknown route without a token", 401, { token: null, target: "/v1/no-such-thing" }],
    ["a CORS preflight request", 401, { token: null, method: "OPTIONS" }],
  ];
}

function scopeCases({ session, tokens }: GuardTarget): CaseRow[] {
  const sessionPath = `/v1/sessions/${session}`;
  // Refused without the guard, too, but not with 403.
  const start = { method: "POST", target: "/v1/sessions", body: `{"workspace":"/no-such-folder"}` };
  const send = { method: "POST", target: `${sessionPath}/messages`, body: `{"text":"hello"}` };
  const takeOver = { method: "POST", target: `${sessionPath}/take-over`, body: `{"columns":80,"rows":24}` };
  const type = { method: "POST", target: `${sessionPath}/keys`, body: `{"text":"y"}` };
  const allow = {
    method: "POST",
    target: `${sessionPath}/answers`,
    body: `{"decision":"1","answer":{"type":"allow"}}`,
  };
  return [
    ["a reader starts a session", 403, { ...start, token: tokens.read }],
    ["a reader sends a message", 403, { ...send, token: tokens.read }],
    ["a reader allows a decision", 403, { ...allow, token: tokens.read }],
    ["a driver allows a decision", 403, { ...allow, token: tokens.drive }],
    ["a driver takes over the terminal", 403, { ...takeOver, token: tokens.drive }],
    ["a driver types into the terminal", 403, { ...type, token: tokens.drive }],
    ["an approver types into the terminal", 403, { ...type, token: tokens.approve }],
    ["a driver stops the service", 403, { method: "POST", target: "/v1/shutdown", token: tokens.drive }],
    ["a driver forgets a session", 403, { method: "POST", target: `${sessionPath}/forget`, token: tokens.drive }],
    ["an approver sends a message", 403, { ...send, token: tokens.approve }],
    ["an owner who keeps only read reads", 200, { headers: [`${scopesHeader}: read`] }],
    [
      "an owner who keeps read and drive allows a decision",
      403,
      { ...allow, headers: [`${scopesHeader}: read,drive`] },
    ],
    ["an owner who keeps only read sends a message", 403, { ...send, headers: [`${scopesHeader}: read`] }],
    ["a driver who asks for approve", 403, { ...allow, token: tokens.drive, headers: [`${scopesHeader}: approve`] }],
    ["an owner who keeps an unknown scope", 400, { headers: [`${scopesHeader}: read,everything`] }],
    ["an owner who keeps a name of an object", 400, { headers: [`${scopesHeader}: constructor`] }],
    ["an owner who keeps nothing", 400, { headers: [`${scopesHeader}:`] }],
    ["an owner who keeps scopes twice", 400, { headers: [`${scopesHeader}: read`, `${scopesHeader}: approve`] }],
  ];
}

function mediaTypeCases({ session }: GuardTarget): CaseRow[] {
  const send = { method: "POST", target: `/v1/sessions/${session}/messages`, body: `{"text":"hello"}` };
  const media = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp"];
  const types = [...media, "application/json; charset=utf-7"];
  return [
    ...types.map((type): CaseRow => [`a body as ${type}`, 415, { ...send, headers: [`Content-Type: ${type}`] }]),
    ["a body without a content type", 415, { ...send, headers: ["X-Content-Type: none"] }],
  ];
}

function pathCases({ session }: GuardTarget): CaseRow[] {
  const paths = [
    "/v1/../v1/health",
    "/v1/./health",
    "/v1/%2e%2e/v1/health",
    "/v1//health",
    "//v1/health",
    "/v1/health/",
    "/v1/%68ealth",
    `/v1/sessions/${session}%2f..%2f`,
    "/v1/sessions/%00",
    "/v1\\health",
    "/.env",
  ];
  return [
    ...paths.map((target): CaseRow => [`path ${target}`, 400, { target }]),
    ["method DELETE of /v1/sessions", 404, { method: "DELETE", target: "/v1/sessions" }],
    ["a WebSocket to a route without one", 404, { upgrade: true }],
    ["a WebSocket to the metrics", 404, { target: "/v1/metrics", upgrade: true }],
    ["path /v2/health", 404, { target: "/v2/health" }],
  ];
}

function formatRequest(request: RawRequest, { port, tokens }: GuardTarget): string {
  const { method = "GET", target = "/v1/health", host = `127.0.0.1:${port}`, token = tokens.owner } = request;
  const { headers = [], body = "", upgrade = false } = request;
  const hasContentType = headers.some((header) => /^(x-)?content-type:/i.test(header));
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(host === null ? [] : [`Host: ${host}`]),
    ...(token === null ? [] : [`Authorization: Bearer ${token}`]),
    ...(body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    ...(body === "" || hasContentType ? [] : ["Content-Type: application/json"]),
    ...(upgrade ? ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"] : ["Connection: close"]),
    ...(upgrade ? ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="] : []),
    ...headers,
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}
