import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { RemoteFairlead } from "@fairlead/client";
import { nodeTransport } from "@fairlead/client/node";
import { type Event, FairleadError } from "@fairlead/contract";
import { FileTokenStore } from "@fairlead/engine";
import { withScript } from "@fairlead/kit";
import { CertificateAuthority } from "@fairlead/testing/server/certificate-authority.ts";
import { TestServer } from "@fairlead/testing/server/test-server.ts";
import { ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { afterAll, describe, expect, test } from "vitest";
import { AccessTokens } from "./access/access-tokens.ts";
import { type HttpService, serveHttp, type ServeHttpOptions } from "./serve-http.ts";
import { CertificateFiles } from "./tls/certificate-files.ts";

const authority = new CertificateAuthority();
afterAll(() => authority[Symbol.dispose]());
const loopback = { host: "127.0.0.1", port: 0 };
const pollOptions = { timeout: 20_000 };
const ca = authority.pem;

const portOf = (service: HttpService): number => Number(new URL(service.listenUrl!).port);

/** Sends a request and returns its status. Verifies the certificate. */
async function statusOf(port: number, headers: Record<string, string> = {}, path = "/v1/health"): Promise<number> {
  // Otherwise the certificate would have to be for the name in the Host header.
  const sent = request({ host: "127.0.0.1", servername: "localhost", port, path, ca, headers, agent: false });
  sent.end();
  const [response] = (await once(sent, "response")) as [NodeJS.ReadableStream & { statusCode: number }];
  response.resume();
  return response.statusCode;
}

/** Connects and verifies the certificate. Fails as the handshake does. */
async function connectSecurely(port: number, options: object = {}): Promise<TLSSocket> {
  const socket = connectTls({ host: "127.0.0.1", port, ca, ...options });
  await once(socket, "secureConnect");
  return socket;
}

/** Serves real sessions over TLS, always at the same port. */
class SecureServer implements AsyncDisposable {
  readonly testHome = new ServiceTestHome();
  readonly tokens = new AccessTokens(new FileTokenStore(join(this.testHome.folder, "tokens.json")));
  readonly #certificate = authority.issue();
  #service: HttpService | undefined;
  #port = 0;
  #close = async (): Promise<void> => {};

  async open(): Promise<void> {
    const fairlead = await this.testHome.open();
    const listen = { host: "127.0.0.1", port: this.#port };
    this.#service = await serveHttp({ fairlead, tokens: this.tokens, listen, tls: this.#certificate });
    this.#port = portOf(this.#service);
    this.#close = () => this.testHome.close(fairlead);
  }

  async remote(scopes: Parameters<AccessTokens["issue"]>[0]["scopes"], label = "test"): Promise<RemoteFairlead> {
    const token = await this.tokens.issue({ label, scopes });
    return new RemoteFairlead(nodeTransport({ url: `https://localhost:${this.#port}`, token, ca }));
  }

  async close(): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]();
    await this.#close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service?.[Symbol.asyncDispose]();
    await this.testHome[Symbol.asyncDispose]();
  }
}

describe("sessions over TLS", () => {
  test("start, follow over a WebSocket, and approve with a token that can only read and approve", async () => {
    await using server = new SecureServer();
    await server.open();
    const driver = await server.remote(["read", "drive"]);
    const approver = await server.remote(["read", "approve"]);
    const prompt = withScript("Ask.", [{ tools: [{ name: "run", input: { command: "true" } }] }]);
    await expect(approver.start({ workspace: server.testHome.folder, prompt })).rejects.toMatchObject({
      code: "not-allowed",
    });
    const { session } = await driver.start({ workspace: server.testHome.folder, prompt });
    const types: string[] = [];
    for await (const event of approver.events(session, { follow: true })) {
      if (!("body" in event)) continue;
      types.push(event.body.type);
      if (event.body.type === "decision.requested") {
        const { decision } = event.body;
        await expect(driver.answer(session, decision, { type: "allow" })).rejects.toMatchObject({
          code: "not-allowed",
        });
        await approver.answer(session, decision, { type: "allow" });
      }
      if (event.body.type === "turn.ended") break;
    }
    expect(types).toContain("decision.resolved");
  });

  test("a revoked token is refused at once, by a call and by an open stream", async () => {
    await using server = new SecureServer();
    await server.open();
    const driver = await server.remote(["read", "drive"], "driver");
    const reader = await server.remote(["read"], "reader");
    const { session } = await driver.start({ workspace: server.testHome.folder });
    const started = Promise.withResolvers<void>();
    const following = (async () => {
      for await (const _ of reader.events(session, { follow: true })) started.resolve();
    })();
    const ended = expect(following).rejects.toMatchObject({ code: "not-allowed" });
    await started.promise;
    const before = performance.now();
    await server.tokens.revoke("reader");
    await ended;
    await expect(reader.sessions()).rejects.toMatchObject({
      code: "not-allowed",
      message: expect.stringContaining("does not know the token, or it was revoked"),
    });
    await expect(Array.fromAsync(reader.events(session, { follow: true }))).rejects.toMatchObject({
      code: "not-allowed",
      message: expect.stringContaining("does not know the token, or it was revoked"),
    });
    expect(performance.now() - before).toBeLessThan(5000); // the client retries an outage for 15 s
  });

  test("a follower continues after a restart of the service, without gaps or duplicates", async () => {
    await using server = new SecureServer();
    await server.open();
    const remote = await server.remote(["read", "drive"]);
    const hello = withScript("Say.", [{ text: "Hello." }]);
    const { session } = await remote.start({ workspace: server.testHome.folder, prompt: hello });
    const received: Event[] = [];
    const following = (async () => {
      for await (const event of remote.events(session, { follow: true })) if ("body" in event) received.push(event);
    })();
    const countTurns = (): number => received.filter(({ body }) => body.type === "turn.ended").length;
    await expect.poll(countTurns, pollOptions).toBe(1);
    for (const turns of [2, 3]) {
      await server.close();
      await server.open();
      await remote.send(session, hello);
      await expect.poll(countTurns, pollOptions).toBe(turns);
    }
    await remote.stop(session);
    await following;
    expect(received.map(({ sequence }) => sequence)).toEqual(received.map((_, index) => index + 1));
    expect(received).toEqual(await Array.fromAsync(remote.events(session)));
  });
});

describe("an address with TLS", () => {
  const serve = async (server: TestServer, options: Partial<ServeHttpOptions> = {}): Promise<HttpService> =>
    await server.serve({ listen: loopback, tls: authority.issue(), ...options });

  test("needs a token, also if the service has a socket for its owner", async () => {
    await using server = await TestServer.open();
    const port = portOf(await serve(server, { socket: server.socket }));
    expect(await statusOf(port)).toBe(401);
    const token = await server.tokens.issue({ label: "reader", scopes: ["read"] });
    expect(await statusOf(port, { authorization: `Bearer ${token}` })).toBe(200);
    expect(await statusOf(port, {}, "/healthz")).toBe(200);
  });

  test("accepts only its names and its own origins", async () => {
    await using server = await TestServer.open();
    const port = portOf(await serve(server, { names: ["agents.example", "other.example:443"] }));
    const token = await server.tokens.issue({ label: "reader", scopes: ["read"] });
    const status = async (headers: Record<string, string>): Promise<number> =>
      await statusOf(port, { authorization: `Bearer ${token}`, ...headers });
    expect(await status({ host: `Agents.Example:${port}` })).toBe(200);
    expect(await status({ host: "other.example" })).toBe(200);
    for (const host of ["agents.example", `evil.example:${port}`, `agents.example.:${port}`, `xagents.example:${port}`])
      expect({ host, status: await status({ host }) }).toEqual({ host, status: 421 });
    expect(await status({ origin: `https://agents.example:${port}` })).toBe(200);
    expect(await status({ origin: `http://agents.example:${port}` })).toBe(403);
    expect(await status({ origin: "https://evil.example" })).toBe(403);
    expect(await status({ "sec-fetch-site": "cross-site" })).toBe(403);
  });

  test("speaks no older TLS than 1.2, and no plain HTTP", async () => {
    await using server = await TestServer.open();
    const service = await serve(server);
    const old = { maxVersion: "TLSv1.1", minVersion: "TLSv1", ciphers: "DEFAULT:@SECLEVEL=0" };
    await expect(connectSecurely(portOf(service), old)).rejects.toThrow(/alert|version/i);
    const socket = await connectSecurely(portOf(service), { maxVersion: "TLSv1.2" });
    socket.destroy();
    await expect(fetch(`http://127.0.0.1:${portOf(service)}/healthz`)).rejects.toThrow("fetch failed");
  });

  test.each([
    ["an address of all networks without TLS", { tls: undefined }, "without TLS"],
    ["an address of all networks without a name", { names: [] }, "without a name"],
    ["a wildcard as a name", { names: ["*.example"] }, "is not the name of a host"],
    [
      "a key of another certificate",
      { tls: { ...authority.issue(), key: authority.issue().key } },
      "is not the key of",
    ],
    ["a key that is too short", { tls: authority.issue({ curve: "prime192v1" }) }, "cannot be used for TLS"],
    ["text instead of a certificate", { tls: { ...authority.issue(), cert: "no" } }, "cannot be read"],
  ])("refuses %s with one sentence", async (_, options, text) => {
    await using server = await TestServer.open();
    const listen = { host: "0.0.0.0", port: 0 };
    const { tls, ...rest } = { tls: authority.issue(), names: ["agents.example"], listen, ...options };
    const error: unknown = await server.serve({ ...rest, ...(tls && { tls }) }).catch((one: unknown) => one);
    expect(FairleadError.is(error, "invalid-settings")).toBe(true);
    expect((error as Error).message).toContain(text);
    expect((error as Error).message).not.toContain("\n");
  });

  test("uses a renewed certificate for new connections, and keeps the existing ones", async () => {
    await using server = await TestServer.open();
    const service = await serve(server);
    const before = await connectSecurely(portOf(service));
    const serial = (socket: TLSSocket): string => socket.getPeerCertificate().serialNumber;
    service.replaceCertificate(authority.issue());
    const after = await connectSecurely(portOf(service));
    expect(serial(after)).not.toBe(serial(before));
    expect(before.destroyed).toBe(false);
    const wrong = { cert: authority.issue().cert, key: authority.issue().key };
    expect(() => service.replaceCertificate(wrong)).toThrow("is not the key of");
    const last = await connectSecurely(portOf(service));
    expect(serial(last)).toBe(serial(after));
    for (const socket of [before, after, last]) socket.destroy();
  });
});

describe("connections without a handshake", () => {
  /** Opens TCP connections that send the given bytes and no more. */
  async function openSilent(port: number, count: number, bytes = ""): Promise<Socket[]> {
    return await Promise.all(
      Array.from({ length: count }, async () => {
        const socket = connect(port, "127.0.0.1");
        socket.on("error", () => {});
        await once(socket, "connect");
        if (bytes !== "") socket.write(bytes);
        return socket;
      }),
    );
  }

  test.each([
    ["silent", ""],
    // The header of a TLS record, whose content never comes.
    ["incomplete", "\u0016\u0003\u0001\u0002\u0000"],
  ])("count as unauthorized, so that %s ones keep nobody out", async (_, bytes) => {
    await using server = await TestServer.open();
    await server.appendEvents(1);
    const limits = { connections: 20, unauthorizedConnections: 5 };
    const port = portOf(await server.serve({ listen: loopback, tls: authority.issue(), limits }));
    const token = await server.tokens.issue({ label: "reader", scopes: ["read"] });
    const headers = { authorization: `Bearer ${token}` };
    const transport = nodeTransport({ url: `https://127.0.0.1:${port}`, token, ca });
    // Without retries: the client would hide that its connection was closed.
    const remote = new RemoteFairlead(transport, { retryTimeoutMs: 0 });
    const followed = remote.events(server.session, { follow: true })[Symbol.asyncIterator]();
    await followed.next();
    const silent = await openSilent(port, 60, bytes);
    await expect.poll(() => silent.filter(({ destroyed }) => !destroyed).length, pollOptions).toBeLessThanOrEqual(5);
    expect(await statusOf(port, headers)).toBe(200);
    await server.appendEvents(1);
    expect(await followed.next()).toMatchObject({ done: false, value: { sequence: 2 } }); // it was not closed
    await followed.return?.(undefined);
    for (const socket of silent) socket.destroy();
  });

  test("do not delay the end of the service", async () => {
    await using server = await TestServer.open();
    const service = await server.serve({ listen: loopback, tls: authority.issue() });
    const [socket] = await openSilent(portOf(service), 1);
    const closed = once(socket!.resume(), "close");
    const before = performance.now();
    await service[Symbol.asyncDispose]();
    await closed;
    expect(performance.now() - before).toBeLessThan(5000); // a handshake may take 10 s
  });
});

describe("the files of a certificate", () => {
  test("are read again when they change, and never as a half of a pair", async () => {
    const folder = mkdtempSync(join(tmpdir(), "cert-"));
    using _folder = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
    const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    const [first, second] = [authority.issueFiles(), authority.issueFiles()];
    copyFileSync(first.certFile, certFile);
    copyFileSync(first.keyFile, keyFile);
    const errors: unknown[] = [];
    const files = CertificateFiles.read({ certFile, keyFile, interval: 10, onError: (error) => errors.push(error) });
    const closing = new AbortController();
    const renewed: string[] = [];
    const watching = (async () => {
      for await (const { cert } of files.watch(closing.signal)) renewed.push(String(cert));
    })();
    copyFileSync(second.certFile, certFile);
    await expect.poll(() => errors.length, pollOptions).toBe(1);
    expect(errors).toMatchObject([{ code: "invalid-settings" }]);
    expect(renewed).toEqual([]);
    copyFileSync(second.keyFile, keyFile);
    await expect.poll(() => renewed.length, pollOptions).toBe(1);
    expect(String(files.current.cert)).toBe(renewed[0]);
    rmSync(keyFile);
    await expect.poll(() => errors.length, pollOptions).toBe(2);
    closing.abort();
    await watching;
    writeFileSync(certFile, "no");
    expect(() => CertificateFiles.read({ certFile, keyFile })).toThrow("There is no file");
  });
});
