import { expect, test } from "vitest";
import { Links, type MessageArrival } from "./links.ts";

/** A service over a network that may swallow everything. Connections from before stay dead after it. */
class TestNetwork {
  isDead = false;
  opened = 0;
  readonly heard: ({ readonly link: number } & MessageArrival)[] = [];
  losses = 0;

  async *open(signal: AbortSignal): AsyncGenerator<number> {
    const link = ++this.opened;
    let isSwallowed = this.isDead;
    while (!signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      isSwallowed ||= this.isDead;
      if (!isSwallowed) yield link;
    }
  }

  links(open = (signal: AbortSignal): AsyncIterable<number> => this.open(signal)): Links<number> {
    return new Links({
      open,
      onMessage: (link, arrival) => void this.heard.push({ link, ...arrival }),
      onLost: () => void this.losses++,
      isFinal: (error) => error === "final",
      maxSilenceMs: 100,
      staggerMs: 50,
      maxRetryDelayMs: 50,
    });
  }
}

test("a connection that the network swallows is replaced, however long that lasts", async () => {
  const network = new TestNetwork();
  const leaving = new AbortController();
  const running = network.links().run(leaving.signal);
  await expect.poll(() => network.heard.length).toBeGreaterThan(3);
  expect(network.losses).toBe(0);
  network.isDead = true;
  await expect.poll(() => network.opened).toBeGreaterThan(8);
  expect(network.losses).toBeGreaterThan(0);
  network.isDead = false;
  await expect.poll(() => network.heard.at(-1)?.link).toBeGreaterThan(1);
  expect(network.heard.filter(({ isNewLink }) => isNewLink)).toHaveLength(1);
  leaving.abort();
  await running;
});

test("after the page stood still, what had waited does not count, and another connection shows what is current", async () => {
  const network = new TestNetwork();
  const leaving = new AbortController();
  const running = network.links().run(leaving.signal);
  await expect.poll(() => network.heard.length).toBeGreaterThan(3);
  const before = network.heard.length;
  const { losses } = network;
  const end = Date.now() + 300;
  while (Date.now() < end); // no timer and no message is handled meanwhile
  await expect.poll(() => network.heard.slice(before).some(({ isNewLink }) => isNewLink)).toBe(true);
  const [first, ...others] = network.heard.slice(before);
  expect(first).toEqual({ link: 1, isNewLink: false, isLate: true });
  expect(network.losses).toBeGreaterThan(losses);
  expect(others.find(({ isLate }) => !isLate)).toMatchObject({ link: 2, isNewLink: true });
  leaving.abort();
  await running;
});

test("a refusal ends all attempts, and another failure does not", async () => {
  const network = new TestNetwork();
  let attempts = 0;
  // oxlint-disable-next-line require-yield -- it fails before the first message
  const fail = async function* (): AsyncGenerator<number> {
    attempts += 1;
    throw attempts < 4 ? "gone" : "final";
  };
  await network.links(fail).run(new AbortController().signal);
  expect(attempts).toBe(4);
});

test("a look at once finds the service without waiting for the next attempt", async () => {
  const network = new TestNetwork();
  const leaving = new AbortController();
  let attempts = 0;
  const open = (signal: AbortSignal): AsyncIterable<number> => {
    attempts += 1;
    if (attempts <= 6) throw new Error("gone");
    return network.open(signal);
  };
  const links = new Links<number>({
    open,
    onMessage: (link, arrival) => void network.heard.push({ link, ...arrival }),
    onLost: () => {},
    isFinal: () => false,
    maxSilenceMs: 60_000,
    staggerMs: 60_000,
    maxRetryDelayMs: 60_000,
  });
  const running = links.run(leaving.signal);
  await expect.poll(() => attempts).toBeGreaterThan(1);
  await expect
    .poll(() => {
      links.check();
      return network.heard.length;
    })
    .toBeGreaterThan(0);
  leaving.abort();
  await running;
});
