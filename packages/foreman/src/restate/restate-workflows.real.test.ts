import { once } from "node:events";
import { connect } from "node:http2";
import { setTimeout as delay } from "node:timers/promises";
import { RestateServer } from "@fairlead/testing/foreman/restate-server.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestEngine, WorkflowsBench } from "../conformance/workflows-bench.ts";
import { workflowsConformance } from "../conformance/workflows-conformance.ts";
import type { WorkflowBodies } from "../workflows/workflows.ts";
import { openRestateWorkflows } from "./open-restate-workflows.ts";

let server: RestateServer;

beforeAll(async () => {
  server = await RestateServer.start(1);
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

workflowsConformance("restate", () => Promise.resolve(new RestateBench()), { canShareStorage: false });

test("refuses a call that the server has not signed", async () => {
  await using bench = new RestateBench();
  let ran = false;
  await bench.open({
    body: async () => {
      ran = true;
      return null;
    },
  });
  // The endpoint speaks HTTP/2 only. An unsigned call that it understands is refused for want of a signature.
  expect(await callUnsigned(bench.address)).toBe(401);
  expect(ran).toBe(false);
});

test("does not open without the server's key", async () => {
  const options = { bodies: {}, ingress: [], admin: "", listen: { host: "127.0.0.1", port: 0 }, identityKeys: [] };
  await expect(openRestateWorkflows(options)).rejects.toMatchObject({ code: "invalid-settings" });
});

/** Calls a body as a server would, without a signature. Returns the status. */
async function callUnsigned(address: string): Promise<number> {
  const session = connect(address);
  try {
    const request = session.request({
      ":method": "POST",
      ":path": "/invoke/FairleadRun/run",
      "content-type": "application/vnd.restate.invocation.v5",
    });
    request.end();
    const [headers] = (await once(request, "response")) as [{ ":status": number }];
    return headers[":status"];
  } finally {
    session.destroy();
  }
}

/** Engines one after the other at one address. The time is real. */
class RestateBench implements WorkflowsBench {
  readonly #engines: TestEngine[] = [];
  #port = 0;

  get address(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async open(bodies: WorkflowBodies): Promise<TestEngine> {
    this.#port ||= nextPort++;
    const workflows = await openRestateWorkflows({
      bodies,
      ingress: server.nodes.map(({ ingress }) => ingress),
      admin: server.nodes[0]?.admin ?? "",
      listen: { host: "127.0.0.1", port: this.#port },
      identityKeys: [server.identityKey],
    });
    const engine = { workflows, kill: () => workflows[Symbol.asyncDispose]() as Promise<void> };
    this.#engines.push(engine);
    return engine;
  }

  now(): number {
    return Date.now();
  }

  async advance(milliseconds: number): Promise<void> {
    await delay(milliseconds);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const engine of this.#engines) await engine.kill();
  }
}

/** Each bench has an address of its own, so that the runs which a test leaves open do not reach the next one. */
let nextPort = 21_000;
