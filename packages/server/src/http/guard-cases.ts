import { bearerSubprotocol, type Scope, subprotocol } from "@fairlead/api";

/** Something that a stranger, a page or an agent may try, letter by letter, and what has to come of it. */
export interface GuardCase {
  readonly name: string;
  /** The whole request as it goes over the connection. */
  readonly request: string;
  readonly status: number;
}

/** What the cases are made for: a service at a port of 127.0.0.1, and a token for each set of scopes. */
export interface GuardGround {
  readonly port: number;
  readonly session: string;
  readonly tokens: Readonly<Record<"owner" | Exclude<Scope, "admin">, string>>;
}

interface Trial {
  readonly method?: string;
  readonly target?: string;
  /** Null leaves it out. */
  readonly host?: string | null;
  readonly token?: string | null;
  readonly headers?: readonly string[];
  readonly body?: string;
  readonly upgrade?: boolean;
}

type Row = readonly [name: string, status: number, trial: Trial];

/** Every case: those that must be let in, since a wall keeps out everybody, and those that must not. */
export function guardCases(ground: GuardGround): GuardCase[] {
  const groups = [welcome, byHost, byOrigin, byToken, byScope, byMedia, byPath];
  return groups
    .flatMap((group) => group(ground))
    .map(([name, status, trial]) => {
      return { name: `${name}: ${status}`, request: requestOf(trial, ground), status };
    });
}

function welcome({ port, session, tokens }: GuardGround): Row[] {
  const events = `/v1/sessions/${session}/events`;
  const own = `Origin: http://127.0.0.1:${port}`;
  const offer = `Sec-WebSocket-Protocol: ${subprotocol}, ${bearerSubprotocol}${tokens.read}`;
  return [
    ["the owner", 200, {}],
    ["by the name localhost", 200, { host: `localhost:${port}` }],
    ["in capitals", 200, { host: `LOCALHOST:${port}` }],
    ["our own page", 200, { headers: [own, "Sec-Fetch-Site: same-origin"] }],
    ["an address typed by hand", 200, { headers: ["Sec-Fetch-Site: none"] }],
    ["a reader who reads", 200, { token: tokens.read, target: events }],
    ["a reader's WebSocket", 101, { token: tokens.read, target: events, upgrade: true }],
    ["a WebSocket of our own page", 101, { token: null, target: events, upgrade: true, headers: [own, offer] }],
  ];
}

function byHost({ port, session }: GuardGround): Row[] {
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
    ...names.map((host): Row => [`as ${host}`, 421, { host }]),
    [
      "a WebSocket as evil.example",
      421,
      { host: `evil.example:${port}`, target: `/v1/sessions/${session}/events`, upgrade: true },
    ],
    ["two names at once", 400, { headers: ["Host: evil.example"] }],
    ["a name in the target", 400, { target: `http://evil.example/v1/health` }],
  ];
}

function byOrigin({ port, session }: GuardGround): Row[] {
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
    ...origins.map((origin): Row => [`from ${origin}`, 403, { headers: [`Origin: ${origin}`] }]),
    ["a WebSocket from another page", 403, { target, upgrade: true, headers: ["Origin: http://evil.example"] }],
    ["from another site", 403, { headers: ["Sec-Fetch-Site: cross-site"] }],
    ["from another port of this machine", 403, { headers: ["Sec-Fetch-Site: same-site"] }],
    ["a WebSocket from another site", 403, { target, upgrade: true, headers: ["Sec-Fetch-Site: cross-site"] }],
    ["two origins at once", 400, { headers: [`Origin: http://127.0.0.1:${port}`, "Origin: http://evil.example"] }],
  ];
}

function byToken({ session, tokens: { owner, read } }: GuardGround): Row[] {
  const events = `/v1/sessions/${session}/events`;
  const offer = `Sec-WebSocket-Protocol: ${subprotocol}, ${bearerSubprotocol}`;
  const nearly = `${owner.slice(0, -1)}${owner.endsWith("A") ? "B" : "A"}`;
  return [
    ["without a token", 401, { token: null }],
    ["with a token that was nearly guessed", 401, { token: nearly }],
    ["with the beginning of a token", 401, { token: owner.slice(0, 20) }],
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
    ["a WebSocket with a wrong offer", 401, { token: null, target: events, upgrade: true, headers: [offer + nearly] }],
    ["looking around without a token", 401, { token: null, target: "/v1/no-such-thing" }],
    ["asking beforehand as browsers do", 401, { token: null, method: "OPTIONS" }],
  ];
}

function byScope({ session, tokens }: GuardGround): Row[] {
  const of = `/v1/sessions/${session}`;
  const start = { method: "POST", target: "/v1/sessions", body: `{"workspace":"/"}` };
  const say = { method: "POST", target: `${of}/messages`, body: `{"text":"hello"}` };
  const sit = { method: "POST", target: `${of}/take-over`, body: `{"columns":80,"rows":24}` };
  const type = { method: "POST", target: `${of}/keys`, body: `{"text":"y"}` };
  const allow = { method: "POST", target: `${of}/answers`, body: `{"decision":"1","answer":{"type":"allow"}}` };
  return [
    ["a reader starts", 403, { ...start, token: tokens.read }],
    ["a reader speaks", 403, { ...say, token: tokens.read }],
    ["a reader allows", 403, { ...allow, token: tokens.read }],
    ["a driver allows", 403, { ...allow, token: tokens.drive }],
    ["a driver sits down at the terminal", 403, { ...sit, token: tokens.drive }],
    ["a driver types into the terminal", 403, { ...type, token: tokens.drive }],
    ["an approver types into the terminal", 403, { ...type, token: tokens.approve }],
    ["a driver ends the service", 403, { method: "POST", target: "/v1/shutdown", token: tokens.drive }],
    ["a driver forgets", 403, { method: "POST", target: `${of}/forget`, token: tokens.drive }],
    ["an approver speaks", 403, { ...say, token: tokens.approve }],
    ["an agent allows", 403, { ...allow, token: tokens.report }],
    ["an agent speaks", 403, { ...say, token: tokens.report }],
    ["an agent reads", 403, { target: `${of}/events`, token: tokens.report }],
    ["an agent listens", 403, { target: `${of}/events`, token: tokens.report, upgrade: true }],
    ["an agent looks at what waits", 403, { target: "/v1/decisions", token: tokens.report }],
    ["an agent asks how it goes", 403, { token: tokens.report }],
  ];
}

function byMedia({ session }: GuardGround): Row[] {
  const say = { method: "POST", target: `/v1/sessions/${session}/messages`, body: `{"text":"hello"}` };
  const media = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp"];
  const types = [...media, "application/json; charset=utf-7"];
  return [
    ...types.map((type): Row => [`a body as ${type}`, 415, { ...say, headers: [`Content-Type: ${type}`] }]),
    ["a body as nothing", 415, { ...say, headers: ["X-Content-Type: none"] }],
  ];
}

function byPath({ session }: GuardGround): Row[] {
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
    ...paths.map((target): Row => [`along ${target}`, 400, { target }]),
    ["along /v1/sessions", 404, { method: "DELETE", target: "/v1/sessions" }],
    ["a WebSocket where there is none", 404, { upgrade: true }],
    ["a WebSocket to what is not for all", 404, { target: "/v1/metrics", upgrade: true }],
    ["along /v2/health", 404, { target: "/v2/health" }],
  ];
}

function requestOf(trial: Trial, { port, tokens }: GuardGround): string {
  const { method = "GET", target = "/v1/health", host = `127.0.0.1:${port}`, token = tokens.owner } = trial;
  const { headers = [], body = "", upgrade = false } = trial;
  const says = headers.some((header) => /^(x-)?content-type:/i.test(header));
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(host === null ? [] : [`Host: ${host}`]),
    ...(token === null ? [] : [`Authorization: Bearer ${token}`]),
    ...(body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    ...(body === "" || says ? [] : ["Content-Type: application/json"]),
    ...(upgrade ? ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"] : ["Connection: close"]),
    ...(upgrade ? ["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="] : []),
    ...headers,
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}
