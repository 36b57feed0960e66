import { once } from "node:events";
import { createServer, type Server } from "node:net";
import { RemoteFairlead } from "@fairlead/client";
import { FairleadError } from "@fairlead/contract";
import { CertificateAuthority } from "@fairlead/testing/server/certificate-authority.ts";
import { TestServer } from "@fairlead/testing/server/test-server.ts";
import { afterAll, describe, expect, test } from "vitest";
import { type NodeAddress, nodeTransport } from "@fairlead/client/node";

const authority = new CertificateAuthority();
const otherAuthority = new CertificateAuthority();
afterAll(() => [authority, otherAuthority].forEach((one) => one[Symbol.dispose]()));

/** Calls and follows. Both must fail with the same error, without retrying it as an outage. */
async function failureOf(address: NodeAddress, retryTimeoutMs = 1e9): Promise<FairleadError> {
  const remote = new RemoteFairlead(nodeTransport(address), { retryTimeoutMs });
  const call: unknown = await remote.sessions().catch((one: unknown) => one);
  const following: unknown = await Array.fromAsync(remote.events("s", { follow: true })).catch((one: unknown) => one);
  if (!FairleadError.isInstance(call) || !FairleadError.isInstance(following)) throw call;
  expect([following.code, following.message]).toEqual([call.code, call.message]);
  expect(call.message).not.toContain("\n");
  return call;
}

describe("a service whose certificate is wrong gets no token", () => {
  test.each([
    ["is signed by an unknown authority", authority, undefined, "is not trusted (UNABLE_TO_VERIFY_LEAF_SIGNATURE)"],
    ["is signed by another authority", otherAuthority, undefined, "is not trusted"],
    [
      "is for another name",
      authority,
      { names: "DNS:other.example" },
      "is for DNS:other.example and not for localhost",
    ],
    ["has expired", authority, { days: -1 }, "has expired"],
  ])("%s", async (title, signer, issued, text) => {
    await using server = await TestServer.open();
    const { listenUrl } = await server.serve({ listen: { host: "127.0.0.1", port: 0 }, tls: signer.issue(issued) });
    const token = await server.tokens.issue({ label: "reader", scopes: ["read"] });
    const url = listenUrl!.replace("127.0.0.1", "localhost");
    const ca = title.includes("unknown") ? {} : { ca: authority.pem };
    const error = await failureOf({ url, token, ...ca });
    expect(error).toMatchObject({ code: "not-allowed", message: expect.stringContaining(text) });
    if (text.includes("trusted")) expect(error.message).toContain("FAIRLEAD_CA=FILE");
    expect(server.calls).toBe(0);
  });

  test("also if the environment tells Node to accept any certificate", async () => {
    await using server = await TestServer.open();
    const { listenUrl } = await server.serve({ listen: { host: "127.0.0.1", port: 0 }, tls: authority.issue() });
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    using _variable = { [Symbol.dispose]: () => delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"] };
    expect((await failureOf({ url: listenUrl!, token: "t" })).message).toContain("is not trusted");
  });
});

test("an unknown token and a name that the service does not have are refused at once, with what to do", async () => {
  await using server = await TestServer.open();
  const { listenUrl } = await server.serve({ listen: { host: "127.0.0.1", port: 0 }, tls: authority.issue() });
  const ca = authority.pem;
  expect(await failureOf({ url: listenUrl!, token: "wrong", ca })).toMatchObject({
    code: "not-allowed",
    message: expect.stringContaining("fairlead token LABEL"),
  });
  const { port } = new URL(listenUrl!);
  await using named = await TestServer.open();
  const listen = { host: "0.0.0.0", port: 0 };
  const service = await named.serve({ listen, tls: authority.issue(), names: ["agents.example"] });
  const otherPort = new URL(service.listenUrl!).port;
  expect(otherPort).not.toBe(port);
  expect(await failureOf({ url: `https://localhost:${otherPort}`, token: "t", ca })).toMatchObject({
    code: "invalid-settings",
    message: `https://localhost:${otherPort} does not accept the name localhost:${otherPort}: use one of its names in the URL, or start the service with --name localhost:${otherPort}.`,
  });
});

describe("a service that cannot be reached", () => {
  test("has no host: refused at once", async () => {
    expect(await failureOf({ url: "https://no-such-host.invalid:7443", token: "t" })).toMatchObject({
      code: expect.stringMatching(/^(invalid-settings|unavailable)$/),
      message: expect.stringMatching(/there is no host no-such-host\.invalid|cannot be resolved/),
    });
  }, 60_000);

  test("does not listen: retried, and then reported", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    server.close();
    await once(server, "close");
    expect(await failureOf({ url: `https://127.0.0.1:${port}`, token: "t" }, 300)).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("nothing listens there"),
    });
  });

  test("does not speak TLS: refused at once", async () => {
    const server: Server = createServer((socket) => {
      socket.on("error", () => {});
      socket.end("HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    using _server = { [Symbol.dispose]: () => server.close() };
    const { port } = server.address() as { port: number };
    const error = await failureOf({ url: `https://127.0.0.1:${port}`, token: "t" });
    expect(error.message).toContain("does not speak TLS");
  });
});

describe("a URL", () => {
  test.each([
    ["http://agents.example:7443", "The token is not sent to http://agents.example:7443"],
    ["http://10.0.0.1", "The token is not sent to http://10.0.0.1"],
    ["http://127.0.0.1.evil.example", "The token is not sent to"],
    ["http://localhost.evil.example", "The token is not sent to"],
    ["http://[::ffff:10.0.0.1]", "The token is not sent to"],
    ["agents.example:7443", "is not the URL of a service"],
    ["agents.example", "is not the URL of a service"],
    ["ftp://agents.example", "is not the URL of a service"],
    ["https://user:password@agents.example", "contains a login"],
    ["https://agents.example/path", "has more than a host and a port"],
    ["https://agents.example/?token=t", "has more than a host and a port"],
  ])("%s is refused", (url, text) => {
    expect(() => nodeTransport({ url, token: "t" })).toThrow(text);
    expect(() => nodeTransport({ url, token: "t" })).not.toThrow("password@");
  });

  test.each([
    "http://127.0.0.1:4747",
    "http://localhost:4747/",
    "http://127.1:80",
    "http://[::1]:1",
    "https://a.example",
  ])("%s is accepted", (url) => {
    expect(() => nodeTransport({ url, token: "t" })).not.toThrow();
  });

  test("a certificate authority must be a certificate", () => {
    expect(() => nodeTransport({ url: "https://a.example", token: "t", ca: "no" })).toThrow(
      "is not a certificate in PEM",
    );
  });
});
