import { describe, expect, test } from "vitest";
import { createApp } from "../app.ts";
import { sendRawRequest } from "@fairlead/testing/server/send-raw-request.ts";
import { TestServer } from "@fairlead/testing/server/test-server.ts";
import { type GuardCase, guardCases } from "@fairlead/testing/server/guard-cases.ts";
import type { Grant } from "./guard.ts";
import { defaultLimits } from "../limits.ts";
import { Listener } from "../listener.ts";

/** Returns the cases for a server, with tokens that it issued. */
async function casesFor(server: TestServer, port: number): Promise<GuardCase[]> {
  const { tokens, session } = server;
  const tokensByRole = {
    owner: await tokens.issue({ label: "owner", scopes: ["read", "drive", "approve", "admin"] }),
    read: await tokens.issue({ label: "reader", scopes: ["read"] }),
    drive: await tokens.issue({ label: "driver", scopes: ["read", "drive"] }),
    approve: await tokens.issue({ label: "approver", scopes: ["read", "approve"] }),
  };
  return guardCases({ port, session, tokens: tokensByRole });
}

const portOf = (url: string | null): number => Number(new URL(url!).port);

describe("the guard", () => {
  test("accepts exactly the allowed requests, and a rejected request makes no call", async () => {
    await using server = await TestServer.open();
    const { url } = await server.serve({ port: 0 });
    const cases = await casesFor(server, portOf(url));
    expect(cases.length).toBeGreaterThan(60);
    for (const { name, request, status } of cases) {
      const before = server.calls;
      const response = await sendRawRequest(portOf(url), request);
      expect({ name, status: response.status }).toEqual({ name, status });
      expect(response.head, name).not.toContain("access-control");
      if (status === 404) expect(response.head, name).toContain("content-type: application/problem+json");
      if (status >= 400) expect({ name, calls: server.calls - before }).toEqual({ name, calls: 0 });
    }
  });

  test("control: without the guard, only unknown paths are rejected", async () => {
    await using server = await TestServer.open();
    const grant: Grant = { id: null, label: "any", scopes: ["read", "drive", "approve", "admin"] };
    const app = createApp({
      fairlead: server.fairlead,
      authorize: () => ({ grant }),
      limits: defaultLimits,
      shutdownSignal: new AbortController().signal,
    });
    await using listener = await Listener.open(app, 100, { host: "127.0.0.1", port: 0 });
    const rejectedCases = (await casesFor(server, listener.port!)).filter(
      ({ status }) => status >= 400 && status !== 404,
    );
    const stillRejected: string[] = [];
    for (const { name, request, status } of rejectedCases) {
      if ((await sendRawRequest(listener.port!, request)).status === status) stillRejected.push(name);
    }
    // The HTTP library rejects a backslash too. Only the guard rejects the other cases.
    expect(stillRejected).toEqual(["path /v1\\health: 400"]);
  });
});
