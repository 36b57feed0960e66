import { sendRawRequest } from "@fairlead/testing/server/send-raw-request.ts";
import { TestServer } from "@fairlead/testing/server/test-server.ts";
import { expect, test } from "vitest";
import { checkOrigin } from "./checked-origin.ts";

test.each([
  ["https://agents.example", "agents.example"],
  ["https://agents.example:8443", "agents.example:8443"],
  ["https://a-b.agents.example", "a-b.agents.example"],
  ["https://xn--gents-fra.example", "xn--gents-fra.example"],
  ["http://localhost:8080", "localhost:8080"],
  ["http://127.0.0.1:8080", "127.0.0.1:8080"],
  ["http://[::1]:8080", "[::1]:8080"],
  ["https://[2001:db8::1]", "[2001:db8::1]"],
])("accepts the origin %s", (origin, host) => {
  expect(checkOrigin(origin)).toEqual({ origin, host });
});

test.each([
  ["agents.example", "it is not of the form"],
  ["https://", "it is not of the form"],
  ["*", "it is not of the form"],
  ["null", "it is not of the form"],
  ["file:///", "it is not of the form"],
  ["https://*.example", "it is not of the form"],
  ["https://agents_1.example", "it is not of the form"],
  ["https://agents.example.", "it is not of the form"],
  ["https://agents..example", "it is not of the form"],
  ["http://agents.example", "without TLS"],
  ["http://127.0.0.1.agents.example", "without TLS"],
  ["http://0.0.0.0:80", "without TLS"],
  ["https://agents.example/", "browsers write it as https://agents.example."],
  ["https://agents.example/path", "browsers write it as"],
  ["https://agents.example:443", "browsers write it as"],
  ["https://Agents.example", "browsers write it as"],
  ["HTTPS://agents.example", "browsers write it as"],
  ["https://user@agents.example", "browsers write it as"],
  ["https://agents.example?", "browsers write it as"],
  ["https://agents.example#", "browsers write it as"],
  [" https://agents.example", "browsers write it as"],
  ["https://ägents.example", "browsers write it as https://xn--gents-fra.example"],
  ["https://agents。example", "browsers write it as https://agents.example."],
  ["https://2130706433", "browsers write it as https://127.0.0.1."],
])("refuses the origin %s", (origin, reason) => {
  expect(() => checkOrigin(origin)).toThrow(
    expect.objectContaining({ code: "invalid-settings", message: expect.stringContaining(reason) as string }),
  );
});

test("a named origin is accepted exactly, beside the port, and nothing that looks like it", async () => {
  await using server = await TestServer.open();
  const { url } = await server.serve({ port: 0, origins: ["https://agents.example", "http://localhost:8080"] });
  const port = Number(new URL(url!).port);
  const token = await server.tokens.issue({ label: "page", scopes: ["read"] });
  const ask = async (host: string, origin?: string): Promise<number> => {
    const lines = [
      "GET /v1/grant HTTP/1.1",
      `Host: ${host}`,
      `Authorization: Bearer ${token}`,
      "Connection: close",
      ...(origin === undefined ? [] : [`Origin: ${origin}`]),
    ];
    return (await sendRawRequest(port, `${lines.join("\r\n")}\r\n\r\n`)).status;
  };
  const own = `127.0.0.1:${port}`;
  for (const host of ["agents.example", "AGENTS.example", "localhost:8080", own]) expect(await ask(host)).toBe(200);
  for (const origin of ["https://agents.example", "http://localhost:8080", `http://${own}`]) {
    expect(await ask("agents.example", origin)).toBe(200);
    // A proxy that replaces the name by the address.
    expect(await ask(own, origin)).toBe(200);
  }
  const otherHosts = [
    "agents.example.",
    "agents.example:443",
    `agents.example:${port}`,
    "agents.example:80",
    "agents.example.evil.example",
    "evil-agents.example",
    "evil.agents.example",
    "agents.exampl",
    "gents.example",
    "agents.example,evil.example",
    "xn--gents-fra.example",
    "localhost:8081",
    "localhost",
    "127.0.0.1:8080",
  ];
  for (const host of otherHosts) expect({ host, status: await ask(host) }).toEqual({ host, status: 421 });
  // The HTTP library refuses a host that is no host.
  for (const host of ["agents.example@evil.example", "evil.example@agents.example", "agentſ.example", "аgents.example"])
    expect({ host, status: await ask(host) }).toEqual({ host, status: 400 });
  const otherOrigins = [
    "http://agents.example",
    "https://agents.example.",
    "https://agents.example:443",
    "https://agents.example:8443",
    "https://agents.example/",
    "https://AGENTS.example",
    "https://agents.example.evil.example",
    "https://evil.agents.example",
    "https://user@agents.example",
    "https://localhost:8080",
    "http://127.0.0.1:8080",
    "null",
    "https://agents.example https://evil.example",
  ];
  for (const origin of otherOrigins)
    expect({ origin, status: await ask("agents.example", origin) }).toEqual({ origin, status: 403 });
});

test("without a named origin, a name of a proxy is refused", async () => {
  await using server = await TestServer.open();
  const { url } = await server.serve({ port: 0 });
  const request = "GET /healthz HTTP/1.1\r\nHost: agents.example\r\nConnection: close\r\n\r\n";
  expect((await sendRawRequest(Number(new URL(url!).port), request)).status).toBe(421);
  await expect(server.serve({ port: 0, origins: ["http://agents.example"] })).rejects.toMatchObject({
    code: "invalid-settings",
  });
});
