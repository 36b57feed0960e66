/** A request to a service that serves the web page, and the status that it must get. */
export interface PageCase {
  readonly name: string;
  /** The raw request. It has no token. */
  readonly request: string;
  readonly status: number;
}

interface PageRequest {
  readonly method?: string;
  readonly target?: string;
  readonly host?: string;
  readonly headers?: readonly string[];
}

type CaseRow = readonly [name: string, status: number, request: PageRequest];

/** The service that the cases are for: a port of 127.0.0.1, and the path of one of its assets. */
export interface PageTarget {
  readonly port: number;
  readonly asset: string;
}

const link = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"];

/** Returns all cases. Some must be accepted, because a service that refuses everything would pass the others. */
export function pageCases(target: PageTarget): PageCase[] {
  return [
    ...servedCases(target),
    ...siteCases(target),
    ...hostCases(target),
    ...pathCases(target),
    ...methodCases(target),
  ].map(([name, status, request]) => ({ name: `${name}: ${status}`, status, request: formatRequest(request, target) }));
}

function servedCases({ port, asset }: PageTarget): CaseRow[] {
  return [
    ["the page", 200, {}],
    ["the page under the name localhost", 200, { host: `localhost:${port}` }],
    ["a session of the page", 200, { target: "/s/01ABC" }],
    ["a decision of the page", 200, { target: "/inbox/01ABC/17" }],
    ["a filter of the page", 200, { target: "/?state=waiting&q=%2e%2e/" }],
    ["a path that only begins as that of the API", 200, { target: "/v1beta" }],
    ["an asset", 200, { target: asset }],
    ["an asset that the page loads", 200, { target: asset, headers: ["Sec-Fetch-Site: same-origin"] }],
    ["an asset with a query", 200, { target: `${asset}?v=1` }],
    ["the page without its body", 200, { method: "HEAD" }],
    ["an asset without its body", 200, { target: asset, method: "HEAD" }],
    ["a link of another site to the page", 200, { headers: link }],
    ["a link of another site to a session", 200, { target: "/s/01ABC", headers: link }],
    ["a link of another port of this machine", 200, { headers: ["Sec-Fetch-Site: same-site", ...link.slice(1)] }],
    ["the health of the service", 200, { target: "/healthz" }],
  ];
}

function siteCases({ asset }: PageTarget): CaseRow[] {
  const cross = "Sec-Fetch-Site: cross-site";
  const destinations = ["iframe", "frame", "embed", "object", "image", "script", "style", "font", "worker", "empty"];
  return [
    ...destinations.map((destination): CaseRow => {
      const headers = [cross, "Sec-Fetch-Mode: navigate", `Sec-Fetch-Dest: ${destination}`];
      return [`another site loads the page as ${destination}`, 403, { headers }];
    }),
    ["another site fetches the page", 403, { headers: [cross, "Sec-Fetch-Mode: cors", "Sec-Fetch-Dest: empty"] }],
    ["another site fetches it without CORS", 403, { headers: [cross, "Sec-Fetch-Mode: no-cors"] }],
    ["another site says nothing more", 403, { headers: [cross] }],
    ["another port fetches the page", 403, { headers: ["Sec-Fetch-Site: same-site"] }],
    ["a link of another site to an asset", 403, { target: asset, headers: link }],
    ["another site loads an asset", 403, { target: asset, headers: [cross, "Sec-Fetch-Dest: script"] }],
    ["another site asks for a missing asset", 403, { target: "/assets/x.js", headers: link }],
    ["a link of another site to the API", 403, { target: "/v1/health", headers: link }],
    ["a link of another site to the health", 403, { target: "/healthz", headers: link }],
    ["two words on the mode", 400, { headers: [...link, "Sec-Fetch-Mode: cors"] }],
    ["two words on the destination", 400, { headers: [...link, "Sec-Fetch-Dest: iframe"] }],
    ["two words on the site", 400, { headers: [...link, "Sec-Fetch-Site: none"] }],
    ["a form of another origin", 403, { method: "POST", headers: [...link, "Origin: http://evil.example"] }],
    ["the origin null", 403, { headers: ["Origin: null"] }],
    ["an origin that looks alike", 403, { headers: ["Origin: http://127.0.0.1.evil.example"] }],
  ];
}

function hostCases({ port, asset }: PageTarget): CaseRow[] {
  const hosts = [
    "evil.example",
    `evil.example:${port}`,
    "127.0.0.1",
    "localhost",
    `localhost:${port + 1}`,
    `localhost.evil.example:${port}`,
    `127.0.0.1.evil.example:${port}`,
    `localhost.:${port}`,
    `[::1]:${port}`,
    `0.0.0.0:${port}`,
    `127.1:${port}`,
    `2130706433:${port}`,
    `127.0.0.1:0${port}`,
  ];
  // The HTTP library rejects these first.
  const malformed = [`127.0.0.1:${port}:${port}`, `user@127.0.0.1:${port}`, `l\u043ecalhost:${port}`];
  return [
    ...hosts.map((host): CaseRow => [`the page under the name ${host}`, 421, { host }]),
    ...malformed.map((host): CaseRow => [`the page under the name ${host}`, 400, { host }]),
    ["an asset under another name", 421, { target: asset, host: "evil.example" }],
    ["two names", 400, { headers: ["Host: evil.example"] }],
  ];
}

function pathCases({ asset }: PageTarget): CaseRow[] {
  const wrongPaths = [
    "/..",
    "/.",
    "//",
    "/../index.html",
    "/%2e%2e",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/..%2findex.html",
    "/s/../index.html",
    "/assets/../index.html",
    "/assets/..%2f..%2fpackage.json",
    "/assets/%2e%2e/index.html",
    "/assets//x.js",
    "//evil.example/x",
    "/assets\\..\\index.html",
    "/\\evil.example",
    "/%5c..%5cindex.html",
    "/%00",
    "/index.html%00.js",
    "/.env",
    "/.git/config",
    "/assets/.hidden.js",
    "/~root",
    "/index.html/",
    "/s/%F0%9F%98%80",
    "/s;x=1",
    "/s/a:b",
    "http://evil.example/",
    "http://127.0.0.1/",
    "https:/",
    "*",
    "x",
    "file:///etc/passwd",
  ];
  return [
    ...wrongPaths.map((target): CaseRow => [`path ${target}`, 400, { target }]),
    ["a path with a zero byte", 400, { target: "/index.html\0.js" }],
    ["a path of 20,000 characters", 431, { target: `/s/${"a".repeat(20_000)}` }],
    ["a path of 8,000 characters", 200, { target: `/s/${"a".repeat(8000)}` }],
    ["the folder of the assets", 404, { target: "/assets" }],
    ["a missing asset", 404, { target: "/assets/missing.js" }],
    ["an asset below a folder", 404, { target: "/assets/a/b.js" }],
    ["an asset in capitals", 404, { target: asset.toUpperCase().replace("/ASSETS", "/assets") }],
    ["the compressed form of an asset", 404, { target: `${asset}.br` }],
    ["a link in the folder of the assets", 404, { target: "/assets/link.js" }],
    ["a file of a type that is not served", 404, { target: "/assets/server.ts" }],
    ["a name of an object", 404, { target: "/assets/constructor" }],
    ["the API without a token", 401, { target: "/v1/health" }],
    ["an unknown route of the API without a token", 401, { target: "/v1/no-such-thing" }],
    ["the root of the API without a token", 401, { target: "/v1" }],
    ["a later version of the API", 401, { target: "/v2/health" }],
    ["a route with a query and no token", 401, { target: "/v1?x=/s/1" }],
  ];
}

function methodCases({ asset }: PageTarget): CaseRow[] {
  const methods = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"];
  return [
    ...methods.map((method): CaseRow => [`the method ${method} of the page`, 405, { method }]),
    ...methods
      .slice(0, 2)
      .map((method): CaseRow => [`the method ${method} of an asset`, 405, { method, target: asset }]),
    ["a WebSocket to the page", 404, { target: "/s/events", headers: webSocket }],
    ["a WebSocket to an asset", 404, { target: asset, headers: webSocket }],
  ];
}

const webSocket = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
];

function formatRequest(
  { method = "GET", target = "/", host, headers = [] }: PageRequest,
  { port }: PageTarget,
): string {
  const connection = headers.some((header) => header.startsWith("Connection:")) ? [] : ["Connection: close"];
  return [
    `${method} ${target} HTTP/1.1`,
    `Host: ${host ?? `127.0.0.1:${port}`}`,
    ...connection,
    ...headers,
    "",
    "",
  ].join("\r\n");
}
