import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { pageCases } from "@fairlead/testing/server/page-cases.ts";
import { sendRawRequest } from "@fairlead/testing/server/send-raw-request.ts";
import { TestServer } from "@fairlead/testing/server/test-server.ts";
import { assetText, writePage } from "@fairlead/testing/server/write-page.ts";
import { describe, expect, test } from "vitest";

/** A service with a page. */
async function openPage(): Promise<{
  server: TestServer;
  folder: string;
  asset: string;
  url: string;
  port: number;
}> {
  const server = await TestServer.open();
  const folder = join(server.folder, "page");
  mkdirSync(folder);
  const asset = writePage(folder);
  const url = (await server.serve({ port: 0, socket: server.socket, pageFolder: folder })).url!;
  return { server, folder, asset, url, port: Number(new URL(url).port) };
}

describe("requests to a service with a page", () => {
  test("get a file only as stated, and none calls the interface", async () => {
    const { server, asset, port } = await openPage();
    await using _ = server;
    const cases = pageCases({ port, asset });
    expect(cases.length).toBeGreaterThan(110);
    const results: object[] = [];
    for (const { name, request: raw } of cases) {
      const { status, head } = await sendRawRequest(port, raw);
      results.push({ name, status });
      expect(head, name).not.toContain("access-control");
    }
    expect(results).toEqual(cases.map(({ name, status }) => ({ name, status })));
    expect(server.calls).toBe(0);
  });

  test("a path of the API that does not exist is a problem, also with a token", async () => {
    const { server, url } = await openPage();
    await using _ = server;
    const authorization = `Bearer ${await server.tokens.issue({ label: "one", scopes: ["read"] })}`;
    for (const path of ["/v1", "/v1/no-such-thing", "/v2/health"]) {
      const response = await fetch(new URL(path, url), { headers: { authorization } });
      expect(response.status).toBe(404);
      expect(response.headers.get("content-type")).toBe("application/problem+json");
    }
  });

  test("the socket serves no page", async () => {
    const { server } = await openPage();
    await using _ = server;
    const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
    request({ socketPath: server.socket, path: "/", headers: { host: "localhost" } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
    expect(await promise).toBe(404);
  });

  test("without a folder, a path is unknown as before", async () => {
    await using server = await TestServer.open();
    const { url } = await server.serve({ port: 0 });
    expect((await fetch(url!)).status).toBe(401);
  });
});

describe("the document", () => {
  test("has the policy, and a fresh nonce in each response", async () => {
    const { server, url } = await openPage();
    await using _ = server;
    const responses = [await fetch(url), await fetch(new URL("/s/01ABC", url))];
    const nonces = responses.map(
      ({ headers }) => /'nonce-([\w+/=]+)'/.exec(headers.get("content-security-policy") ?? "")?.[1],
    );
    expect(new Set(nonces).size).toBe(2);
    for (const [index, response] of responses.entries()) {
      const { headers } = response;
      expect(Object.fromEntries(headers)).toMatchObject({
        "cache-control": "no-store",
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonces[index]}'; img-src 'self'; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": expect.stringMatching(/^[a-z-]+=\(\)(, [a-z-]+=\(\))*$/),
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
      });
      const body = await response.text();
      expect(body).toContain(`nonce="${nonces[index]}"`);
      expect(body).not.toContain("fairlead-nonce");
    }
  });

  test("of a page that is not built says what to type, until it is built", async () => {
    const { server, folder, url } = await openPage();
    await using _ = server;
    const elsewhere = `${folder}-elsewhere`;
    renameSync(folder, elsewhere);
    const missing = await fetch(url);
    expect(missing.status).toBe(503);
    expect(missing.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await missing.text()).toContain("npm run build");
    expect((await fetch(new URL("/assets/index.js", url))).status).toBe(404);
    renameSync(elsewhere, folder);
    expect((await fetch(url)).status).toBe(200);
    // The page of one build stays whole, also when another build replaces its files.
    rmSync(folder, { recursive: true });
    expect((await fetch(url)).status).toBe(200);
  });

  test.each(["index.html", "assets"])("a link in place of %s is not followed", async (name) => {
    const { server, folder, asset, url } = await openPage();
    await using _ = server;
    renameSync(join(folder, name), join(server.folder, name));
    symlinkSync(join(server.folder, name), join(folder, name));
    expect((await fetch(new URL(name === "assets" ? asset : "/", url))).status).toBe(name === "assets" ? 404 : 503);
  });
});

describe("an asset", () => {
  test("has its media type, and may be kept by a cache because its name has a digest", async () => {
    const { server, asset, url } = await openPage();
    await using _ = server;
    const response = await fetch(new URL(asset, url), { headers: { "accept-encoding": "identity" } });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "cache-control": "public, max-age=31536000, immutable",
      "content-length": String(assetText.length),
      "content-type": "text/javascript; charset=utf-8",
      "cross-origin-resource-policy": "same-origin",
      vary: "accept-encoding",
      "x-content-type-options": "nosniff",
    });
    expect(response.headers.get("content-security-policy")).not.toContain("nonce");
    expect(await response.text()).toBe(assetText);
    const icon = await fetch(new URL("/icon.svg", url));
    expect(icon.headers.get("content-type")).toBe("image/svg+xml");
    expect(icon.headers.get("cache-control")).toBe("no-cache");
  });

  test.each([
    ["gzip, deflate, br", "br"],
    ["gzip, br;q=0", "gzip"],
    ["GZIP", "gzip"],
    ["deflate", null],
    ["br;q=0.0, gzip;q=0", null],
    ["*", null],
    ["xbr", null],
  ])("is sent to a caller that accepts %s as %s", async (accepted, encoding) => {
    const { server, asset, url } = await openPage();
    await using _ = server;
    const response = await fetch(new URL(asset, url), { headers: { "accept-encoding": accepted } });
    expect(response.headers.get("content-encoding")).toBe(encoding);
    expect(await response.text()).toBe(assetText); // fetch decodes it
  });
});

describe("JSON", () => {
  async function readEvents(
    count: number,
    accepted: string,
  ): Promise<{ body: Buffer; headers: NodeJS.Dict<string | string[]> }> {
    await using server = await TestServer.open();
    await server.appendEvents(count, 100);
    const url = (await server.serve({ port: 0 })).url!;
    const authorization = `Bearer ${await server.tokens.issue({ label: "one", scopes: ["read"] })}`;
    const { promise, resolve, reject } = Promise.withResolvers<{
      body: Buffer;
      headers: NodeJS.Dict<string | string[]>;
    }>();
    request(`${url}/v1/sessions/${server.session}/events`, { headers: { authorization, "accept-encoding": accepted } })
      .on("response", (response) => {
        void text(response.setEncoding("latin1")).then(
          (body) => resolve({ body: Buffer.from(body, "latin1"), headers: response.headers }),
          reject,
        );
      })
      .on("error", reject)
      .end();
    return await promise;
  }

  test("over 8 kB is compressed for a caller that accepts gzip, and only for that one", async () => {
    const plain = await readEvents(100, "identity");
    const compressed = await readEvents(100, "br, gzip");
    expect(plain.headers).not.toHaveProperty("content-encoding");
    expect(compressed.headers).toMatchObject({
      "content-encoding": "gzip",
      vary: "accept-encoding",
      "cache-control": "no-store",
    });
    expect(plain.headers["vary"]).toBe("accept-encoding");
    expect(JSON.parse(gunzipSync(compressed.body).toString())).toEqual(JSON.parse(plain.body.toString()));
    expect(compressed.body.length).toBeLessThan(plain.body.length / 5);
  });

  test("below that is not compressed", async () => {
    const { headers } = await readEvents(1, "gzip");
    expect(headers).not.toHaveProperty("content-encoding");
    expect(headers).not.toHaveProperty("vary");
  });
});
