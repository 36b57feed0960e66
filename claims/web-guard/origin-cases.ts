import { checkOrigin } from "../../packages/server/src/http/access/checked-origin.ts";
import { namedOrigin } from "./guarded-page.ts";
import type { RequestCase } from "./request-case.ts";

const { host: namedHost, hostname: name, port: namedPort } = new URL(namedOrigin);

/** Names that a person, or a rule that is not exact, could take for the named one. */
const hosts: readonly string[] = [
  name,
  `${name}:443`,
  `${name}:80`,
  `${name}:${Number(namedPort) + 1}`,
  `${name}:0${namedPort}`,
  `${name}.:${namedPort}`,
  `${name}.evil.example:${namedPort}`,
  `evil-${namedHost}`,
  `evil${namedHost}`,
  `x.${namedHost}`,
  `example:${namedPort}`,
  `agents.example.evil:${namedPort}`,
  `xn--gents-3ve.example:${namedPort}`,
  `agents-example:${namedPort}`,
];

const origins: readonly string[] = [
  `http://${namedHost}`,
  `https://${name}`,
  `https://${name}:443`,
  `https://${name}:${Number(namedPort) + 1}`,
  `https://${name}.:${namedPort}`,
  `https://${name}.evil.example:${namedPort}`,
  `https://evil-${namedHost}`,
  `https://x.${namedHost}`,
  `https://AGENTS.example:${namedPort}`,
  `https://user@${namedHost}`,
  `https://${namedHost}/`,
  `https://${namedHost}@evil.example`,
  `https://${namedHost}.`,
  `https://${namedHost} `.trimEnd() + "#",
  `https://xn--gents-3ve.example:${namedPort}`,
  `wss://${namedHost}`,
  `blob:https://${namedHost}`,
  `https://${namedHost}, https://evil.example`,
];

/** Requests under the named origin, which are accepted, and under those that look alike, which are not. */
export function originCases(port: number, token: string): RequestCase[] {
  const request = (host: string, headers: readonly string[] = []): string =>
    [
      "GET /v1/health HTTP/1.1",
      `Host: ${host}`,
      "Connection: close",
      `Authorization: Bearer ${token}`,
      ...headers,
      "",
      "",
    ].join("\r\n");
  return [
    { name: "the named host", status: 200, request: request(namedHost) },
    { name: "the named host in capitals", status: 200, request: request(namedHost.toUpperCase()) },
    { name: "the named origin", status: 200, request: request(namedHost, [`Origin: ${namedOrigin}`]) },
    {
      name: "the named origin through a proxy that keeps its own name",
      status: 200,
      request: request(`127.0.0.1:${port}`, [`Origin: ${namedOrigin}`]),
    },
    ...hosts.map((host) => ({ name: `the host ${host}`, status: 421, request: request(host) })),
    ...origins.map((origin) => ({
      name: `the origin ${origin}`,
      status: 403,
      request: request(namedHost, [`Origin: ${origin}`]),
    })),
  ];
}

/** What `up --origin` must refuse: no browser sends it, or it names more than one origin. */
const refusedOptions: readonly string[] = [
  "",
  "*",
  "null",
  "agents.example",
  "//agents.example",
  "https://*.example",
  "https://*",
  "https://agents.example/",
  "https://agents.example/path",
  "https://agents.example?x",
  "https://agents.example#x",
  "https://agents.example:443",
  "https://agents.example.",
  "https://.agents.example",
  "https://agents..example",
  "https://AGENTS.example",
  "HTTPS://agents.example",
  "https://user@agents.example",
  "https://user:word@agents.example",
  "https://agents.example\\@evil.example",
  " https://agents.example",
  "https://agents.example ",
  "https://agents.example\n",
  "https://agents\u3002example",
  "https://\u0430gents.example",
  "https://agents.example:99999",
  "https://127.1",
  "https://2130706433",
  "https://[::ffff:127.0.0.1]",
  "http://agents.example",
  "http://127.0.0.1.evil.example",
  "http://localhost.evil.example",
  "ftp://agents.example",
  "file:///etc/passwd",
  "blob:https://agents.example/1",
  "javascript:alert(1)",
  "https://agents_example",
  "https://-agents.example",
];

export interface OptionResults {
  readonly tried: number;
  readonly accepted: readonly string[];
}

/** Offers each refused value to the option, and returns those that it accepts. */
export function tryOriginOptions(): OptionResults {
  const accepted = refusedOptions.filter((text) => {
    try {
      checkOrigin(text);
      return true;
    } catch {
      return false;
    }
  });
  return { tried: refusedOptions.length, accepted };
}
