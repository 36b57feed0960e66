import { type OverviewFrame, zeroCounts } from "@fairlead/api";
import { expect, test } from "vitest";
import { Backoff } from "./backoff.ts";
import { followOverview } from "./follow-overview.ts";
import type { Transport } from "./transport.ts";

const nothing = { sessions: [], removed: [], decisions: [], closed: [], counts: zeroCounts() };
const frame = (position: string): OverviewFrame => ({ reset: false, ...nothing, caughtUp: true, position });

/** A service whose connections send a frame and then stay silent, without an error. The last one ends. */
class SilentService {
  readonly paths: string[] = [];
  readonly closed: string[] = [];
  readonly #connections: number;

  constructor(connections: number) {
    this.#connections = connections;
  }

  readonly transport = {
    open: (path: string, signal: AbortSignal) => this.#open(path, signal),
  } as unknown as Transport;

  async *#open(path: string, signal: AbortSignal): AsyncGenerator<string> {
    const number = this.paths.push(path);
    signal.addEventListener("abort", () => this.closed.push(path));
    yield JSON.stringify({ overview: frame(`p.${number}`) });
    if (number < this.#connections) await new Promise(() => {});
  }
}

test("a connection over which nothing comes is closed, and the next one continues after the last position", async () => {
  const service = new SilentService(3);
  const signal = new AbortController().signal;
  const options = { after: undefined, signal, silenceTimeoutMs: 30 };
  const frames = await Array.fromAsync(followOverview(service.transport, new Backoff(10_000), options));
  expect(frames.map(({ position }) => position)).toEqual(["p.1", "p.2", "p.3"]);
  expect(service.paths).toEqual(["/v1/overview", "/v1/overview?after=p.1", "/v1/overview?after=p.2"]);
  expect(service.closed).toEqual(service.paths);
});

test("a service that stays silent is given up after the time limit", async () => {
  const service = new SilentService(1000);
  const options = { after: undefined, signal: new AbortController().signal, silenceTimeoutMs: 30 };
  const follow = Array.fromAsync(followOverview(service.transport, new Backoff(0), options));
  await expect(follow).rejects.toMatchObject({
    code: "unavailable",
    message: "The service has sent nothing for 0.03 seconds.",
  });
});
