import { codeLifetimeMs, type CodeRequest, type GrantView, type SignedInView } from "@fairlead/api";
import { RemoteFairlead } from "@fairlead/client";
import { type NodeAddress, nodeTransport } from "@fairlead/client/node";
import { TestServer } from "@fairlead/testing/server/test-server.ts";
import { expect, test } from "vitest";
import { OneTimeCodes } from "./one-time-codes.ts";

const request: CodeRequest = { label: "browser", scopes: ["read"], tokenLifetimeMs: 3_600_000, persistent: false };

interface Answer<Body> {
  readonly status: number;
  readonly body: Body & { readonly detail: string };
}

/** A server with codes, whose clock the test moves. */
class CodesBench implements AsyncDisposable {
  readonly server: TestServer;
  readonly url: string;
  readonly reused: string[] = [];
  /** How far the clock of the codes is ahead. */
  offset = 0;

  private constructor(server: TestServer, url: string) {
    this.server = server;
    this.url = url;
  }

  static async open(): Promise<CodesBench> {
    const server = await TestServer.open();
    let bench: CodesBench | undefined;
    const codes = new OneTimeCodes({
      tokens: server.tokens,
      onReuse: (label) => bench?.reused.push(label),
      now: () => Date.now() + (bench?.offset ?? 0),
    });
    const { url } = await server.serve({ port: 0, socket: server.socket, codes });
    return (bench = new CodesBench(server, url!));
  }

  advance(ms: number): void {
    this.offset += ms;
  }

  /** Asks for a code at the socket, where a caller without a token is the owner. */
  async createCode(asked: Partial<CodeRequest> = {}, caller: Partial<NodeAddress> = {}): Promise<string> {
    const owner = new RemoteFairlead(nodeTransport({ socket: this.server.socket, ...caller }));
    return (await owner.createCode({ ...request, ...asked })).code;
  }

  async post<Body>(path: string, body: object, token?: string, headers: object = {}): Promise<Answer<Body>> {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(`${this.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...authorization, ...headers },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Answer<Body>["body"] };
  }

  exchange(code: string, headers: object = {}): Promise<Answer<SignedInView>> {
    return this.post<SignedInView>("/v1/grant", { code }, undefined, headers);
  }

  async readGrant(token: string): Promise<{ status: number; grant: GrantView }> {
    const response = await fetch(`${this.url}/v1/grant`, { headers: { authorization: `Bearer ${token}` } });
    return { status: response.status, grant: (await response.json()) as GrantView };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
  }
}

test("a code gives a token once, with the scopes and the end that were asked for", async () => {
  await using bench = await CodesBench.open();
  const code = await bench.createCode({ persistent: true });
  expect(Buffer.from(code.slice(4), "base64url")).toHaveLength(24);
  const { status, body } = await bench.exchange(code);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: { persistent: true, grant: { label: "browser", scopes: ["read"] } },
  });
  const end = Date.parse(body.grant.expiresAt ?? "") - Date.now();
  expect(end).toBeGreaterThan(3_500_000);
  expect(end).toBeLessThanOrEqual(3_600_000);
  expect(await bench.readGrant(body.token)).toEqual({ status: 200, grant: body.grant });
  expect(bench.reused).toEqual([]);

  const again = await bench.exchange(code);
  expect({ status: again.status, detail: again.body.detail }).toEqual({
    status: 403,
    detail: "The code was used before. Get a new one with: fairlead open",
  });
  expect(bench.reused).toEqual(["browser"]);
  expect(bench.server.tokens.list()).toHaveLength(1);
});

test("of two exchanges at the same moment, one gets a token", async () => {
  await using bench = await CodesBench.open();
  for (let round = 0; round < 10; round += 1) {
    const code = await bench.createCode();
    const answers = await Promise.all([bench.exchange(code), bench.exchange(code)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 403]);
  }
});

test("a late code is refused, and one just in time is not", async () => {
  await using bench = await CodesBench.open();
  const [early, late] = [await bench.createCode(), await bench.createCode()];
  bench.advance(codeLifetimeMs - 5000);
  expect((await bench.exchange(early)).status).toBe(200);
  bench.advance(5001);
  const { status, body } = await bench.exchange(late);
  expect({ status, detail: body.detail }).toMatchObject({
    status: 403,
    detail: expect.stringContaining("is older than 60 seconds") as string,
  });
});

test("a wrong code is refused, and so is one from before a restart", async () => {
  await using bench = await CodesBench.open();
  const code = await bench.createCode();
  for (const wrong of ["flc_", `${code}x`, code.slice(0, -1), "x".repeat(200)])
    expect((await bench.exchange(wrong)).body.detail).toContain("is not known");
  const { url } = await bench.server.serve({ port: 0, codes: new OneTimeCodes({ tokens: bench.server.tokens }) });
  const body = JSON.stringify({ code });
  const headers = { "content-type": "application/json" };
  const restarted = await fetch(`${url}/v1/grant`, { method: "POST", headers, body });
  expect(restarted.status).toBe(403);
  expect(await restarted.text()).toContain("from before a restart");
});

test("no token can issue codes, which would survive its revocation under the label of another person", async () => {
  await using bench = await CodesBench.open();
  const { tokens, socket } = bench.server;
  const scopes = ["read", "approve", "admin"] as const;
  const token = await tokens.issue({ label: "mallory", scopes });
  const narrow = await tokens.issue({ label: "narrow", scopes, workspaces: ["/work/a"] });
  for (const asking of [token, narrow]) {
    const asked = { ...request, label: "owner", scopes, tokenLifetimeMs: 90 * 86_400_000 };
    const { status, body } = await bench.post("/v1/codes", asked, asking);
    expect({ status, body }).toMatchObject({
      status: 403,
      body: {
        code: "not-allowed",
        detail: expect.stringContaining("Only the owner can issue one-time codes") as string,
      },
    });
    // A token restricts its caller at the socket, too.
    await expect(bench.createCode({}, { socket, token: asking })).rejects.toMatchObject({ code: "not-allowed" });
  }
  expect((await bench.post("/v1/codes", request)).status).toBe(401);
  expect(tokens.list().map(({ label }) => label)).toEqual(["mallory", "narrow"]);
});

test("an owner that gives up a scope for a request cannot pass it on", async () => {
  await using bench = await CodesBench.open();
  const caller = { scopes: ["admin", "read"] } as const;
  await expect(bench.createCode({ scopes: ["drive"] }, caller)).rejects.toMatchObject({ code: "not-allowed" });
  const { body } = await bench.exchange(await bench.createCode({ scopes: ["read"] }, caller));
  expect(body.grant.scopes).toEqual(["read"]);
  await expect(bench.createCode({}, { scopes: ["read"] })).rejects.toMatchObject({ code: "not-allowed" });
});

test("an exchange needs no token, but the name of the service, its origin, JSON and few bytes", async () => {
  await using bench = await CodesBench.open();
  const code = await bench.createCode();
  expect((await bench.exchange(code, { origin: "http://evil.example" })).status).toBe(403);
  expect((await bench.exchange(code, { "sec-fetch-site": "cross-site" })).status).toBe(403);
  expect((await bench.exchange(code, { "content-type": "text/plain" })).status).toBe(415);
  expect((await bench.post("/v1/grant", { code, pad: "x".repeat(1100) })).status).toBe(413);
  expect((await bench.post("/v1/grant", { code, scopes: ["admin"] })).status).toBe(400);
  expect((await bench.exchange(code, { origin: bench.url, "sec-fetch-site": "same-origin" })).status).toBe(200);
});

test("a service without codes says so", async () => {
  await using server = await TestServer.open();
  const { url } = await server.serve({ port: 0 });
  const token = await server.tokens.issue({ label: "owner", scopes: ["admin"] });
  const headers = { "content-type": "application/json", authorization: `Bearer ${token}` };
  for (const [path, body] of [
    ["/v1/codes", { ...request, scopes: ["admin"] }],
    ["/v1/grant", { code: "flc_x" }],
  ] as const) {
    const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    expect({ status: response.status, text: await response.text() }).toEqual({
      status: 422,
      text: expect.stringContaining("issues no one-time codes") as string,
    });
  }
});

test("only so many codes are remembered, and the newest ones work", async () => {
  await using bench = await CodesBench.open();
  const codes: string[] = [];
  for (let index = 0; index < 101; index += 1) codes.push(await bench.createCode());
  expect((await bench.exchange(codes[0]!)).status).toBe(403);
  expect((await bench.exchange(codes[1]!)).status).toBe(200);
  expect((await bench.exchange(codes[100]!)).status).toBe(200);
});

test("every token may ask what it permits, and a caller without one may not", async () => {
  await using bench = await CodesBench.open();
  for (const scope of ["read", "drive", "approve", "admin"] as const) {
    const token = await bench.server.tokens.issue({ label: `only ${scope}`, scopes: [scope] });
    const grant = { label: `only ${scope}`, scopes: [scope], expiresAt: null };
    expect(await bench.readGrant(token)).toEqual({ status: 200, grant });
  }
  expect((await bench.readGrant("fl_wrong")).status).toBe(401);
});
