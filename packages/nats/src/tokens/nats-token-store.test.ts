import type { StoredToken, TokenStore } from "@fairlead/engine";
import { tokenStoreConformance } from "@fairlead/engine/conformance";
import { interceptRequests, type RequestInterceptor } from "@fairlead/testing/nats/intercept-requests.ts";
import { NatsLogBench } from "@fairlead/testing/nats/nats-log-bench.ts";
import { Kvm } from "@nats-io/kv";
import { TimeoutError, type Msg, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTokensBucket } from "./create-tokens-bucket.ts";
import { NatsTokenStore, type NatsTokenStoreOptions } from "./nats-token-store.ts";

let bench: NatsLogBench;
beforeAll(async () => {
  bench = await NatsLogBench.start(1);
});
afterAll(() => bench[Symbol.asyncDispose]());

let namespaces = 0;
async function createNamespace(on = bench): Promise<string> {
  const namespace = `tokens-${namespaces++}`;
  await using connection = await on.connect();
  await createTokensBucket(connection, { namespace, replicas: 1 });
  return namespace;
}

interface OpenedTokens extends AsyncDisposable {
  readonly tokens: NatsTokenStore;
  readonly connection: NatsConnection;
  readonly namespace: string;
}

type OpenOptions = Partial<NatsTokenStoreOptions> & {
  readonly on?: NatsLogBench;
  readonly wrap?: (connection: NatsConnection) => NatsConnection;
};

async function openTokens(namespace: string, { on = bench, wrap, ...rest }: OpenOptions = {}): Promise<OpenedTokens> {
  const connection = await on.connect();
  const tokens = await NatsTokenStore.open({ connection: wrap?.(connection) ?? connection, namespace, ...rest });
  return { tokens, connection, namespace, [Symbol.asyncDispose]: () => connection.close() };
}

tokenStoreConformance(
  "NATS",
  async () => await openTokens(await createNamespace()),
  async (engine) => await openTokens((engine as OpenedTokens).namespace),
);

function token(label: string, index = 0): StoredToken {
  const digest = index.toString(16).padStart(64, "0");
  return { label, scopes: ["read"], digest, issuedAt: new Date(index).toISOString() };
}

const waitFor = async (condition: () => boolean, timeout = 20_000): Promise<void> => {
  await expect.poll(condition, { interval: 5, timeout }).toBe(true);
};
const isUnavailable = (store: TokenStore): boolean => {
  try {
    store.list();
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: "unavailable" });
    return true;
  }
};
const intercepting = (intercept: RequestInterceptor) => (connection: NatsConnection) =>
  interceptRequests(connection, intercept);

async function waitForReconnect(connection: NatsConnection): Promise<void> {
  for await (const { type } of connection.status()) if (type === "reconnect") return;
}

/** A connection that loses each message of its subscriptions, as a server does that does not know of them yet. */
function loseMessages(connection: NatsConnection): NatsConnection {
  return new Proxy(connection, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name !== "subscribe") return value.bind(target) as unknown;
      return (subject: string) => target.subscribe(subject, { callback: () => {} });
    },
  });
}

test.for(["published", "lost"] as const)(
  "a removed token is refused elsewhere within 1 s if its message is %s",
  async (fate) => {
    const namespace = await createNamespace();
    await using one = await openTokens(namespace);
    await using other = await openTokens(namespace, fate === "lost" ? { wrap: loseMessages } : {});
    for (const index of [1, 2]) await one.tokens.add(token(`t${index}`, index));
    await waitFor(() => other.tokens.list().length === 2);
    const version = other.tokens.version();
    const startedAt = performance.now();
    await one.tokens.remove("t1");
    await waitFor(() => other.tokens.list().length === 1, 1000);
    console.log(`${fate}: refused ${Math.round(performance.now() - startedAt)} ms after the removal began.`);
    expect(other.tokens.list()).toEqual([token("t2", 2)]);
    expect(other.tokens.version()).not.toBe(version);
  },
);

test("list throws while the connection is lost, and until the copy is current after it is there again", async () => {
  await using own = await NatsLogBench.start(1);
  const namespace = await createNamespace(own);
  let gate: Promise<void> | undefined;
  const intercept: RequestInterceptor = async (_, send) => {
    await gate;
    return await send();
  };
  await using one = await openTokens(namespace, { on: own, wrap: intercepting(intercept) });
  await using other = await openTokens(namespace, { on: own });
  for (const index of [1, 2]) await one.tokens.add(token(`t${index}`, index));
  await waitFor(() => one.tokens.list().length === 2);
  const version = one.tokens.version();
  const { promise, resolve: open } = Promise.withResolvers<void>();
  gate = promise;
  const reconnected = waitForReconnect(one.connection);
  await own.cluster.kill(0);
  await waitFor(() => isUnavailable(one.tokens), 1000);
  // A log shows the message of a cause only if it is one of Fairlead's errors.
  expect(() => one.tokens.list()).toThrow(
    expect.objectContaining({
      message: expect.stringContaining("the connection to the servers is lost"),
      cause: expect.objectContaining({ code: "unavailable" }),
    }),
  );
  // Open streams survive a short loss: nothing has changed yet.
  expect(one.tokens.version()).toBe(version);
  own.cluster.restart(0);
  await own.cluster.waitUntilReady();
  await waitFor(() => !isUnavailable(other.tokens));
  expect(await other.tokens.remove("t1")).toBe(1);
  await reconnected;
  expect(isUnavailable(one.tokens)).toBe(true);
  open();
  await waitFor(() => !isUnavailable(one.tokens));
  expect(one.tokens.list()).toEqual([token("t2", 2)]);
});

test("the version is the same after a reconnect without a change", async () => {
  await using opened = await openTokens(await createNamespace());
  await opened.tokens.add(token("a"));
  const version = opened.tokens.version();
  await opened.connection.reconnect();
  await waitFor(() => isUnavailable(opened.tokens));
  await waitFor(() => !isUnavailable(opened.tokens));
  expect(opened.tokens.version()).toBe(version);
});

test("a store that is opened without a copy asks the servers for nothing until it is used", async () => {
  const namespace = await createNamespace();
  const requests: string[] = [];
  const intercept: RequestInterceptor = async (subject, send) => {
    requests.push(subject);
    return await send();
  };
  let checks = 0;
  const countChecks: RequestInterceptor = async (_, send) => {
    checks += 1;
    return await send();
  };
  await using one = await openTokens(namespace, { wrap: intercepting(countChecks) });
  await using idle = await openTokens(namespace, { wrap: intercepting(intercept), isLazy: true });
  await one.tokens.add(token("a"));
  checks = 0;
  await waitFor(() => checks >= 3);
  // That of the open.
  expect(requests).toHaveLength(1);
  expect(isUnavailable(idle.tokens)).toBe(true);
  await waitFor(() => !isUnavailable(idle.tokens));
  expect(idle.tokens.list()).toEqual([token("a")]);
  expect(await one.tokens.remove("a")).toBe(1);
  await waitFor(() => idle.tokens.list().length === 0, 1000);
});

test("a store that is opened without a copy adds and removes tokens at its first use", async () => {
  const namespace = await createNamespace();
  await using one = await openTokens(namespace, { isLazy: true });
  await using other = await openTokens(namespace, { isLazy: true });
  await one.tokens.add(token("a"));
  expect(one.tokens.list()).toEqual([token("a")]);
  expect(await other.tokens.remove("a")).toBe(1);
  const unused = await openTokens(namespace, { isLazy: true });
  await unused.connection.close();
  expect(isUnavailable(unused.tokens)).toBe(true);
  expect(unused.tokens.version()).toEqual(expect.any(String));
});

test("a copy that the leader does not confirm is refused, and has another version", async () => {
  let isSilent = false;
  const intercept: RequestInterceptor = async (_, send) => await (isSilent ? new Promise<Msg>(() => {}) : send());
  await using opened = await openTokens(await createNamespace(), { wrap: intercepting(intercept), staleAfter: 1500 });
  await opened.tokens.add(token("a"));
  const version = opened.tokens.version();
  isSilent = true;
  expect(opened.tokens.list()).toHaveLength(1);
  await waitFor(() => isUnavailable(opened.tokens), 3000);
  expect(opened.tokens.version()).not.toBe(version);
});

test("a closed store refuses all tokens, and adding or removing is unavailable", async () => {
  const opened = await openTokens(await createNamespace());
  await opened.tokens.add(token("a"));
  await opened.connection.close();
  expect(isUnavailable(opened.tokens)).toBe(true);
  await expect(opened.tokens.add(token("b", 1))).rejects.toMatchObject({ code: "unavailable" });
  await expect(opened.tokens.remove("a")).rejects.toMatchObject({ code: "unavailable" });
});

test("a write that arrives late does not bring a removed token back", async () => {
  const late: (() => Promise<Msg>)[] = [];
  const intercept: RequestInterceptor = async (subject, send) => {
    if (!subject.startsWith("$KV.") || late.length > 0) return await send();
    late.push(send);
    throw new TimeoutError();
  };
  await using opened = await openTokens(await createNamespace(), { wrap: intercepting(intercept) });
  await opened.tokens.add(token("a"));
  expect(await opened.tokens.remove("a")).toBe(1);
  for (const send of late) await send();
  await opened.tokens.add(token("b", 1));
  expect(opened.tokens.list().map(({ label }) => label)).toEqual(["b"]);
});

test("a removal whose answer is lost is counted", async () => {
  let isLossy = false;
  const intercept: RequestInterceptor = async (subject, send) => {
    const answer = await send();
    if (!isLossy || !subject.startsWith("$KV.")) return answer;
    isLossy = false;
    throw new TimeoutError();
  };
  await using opened = await openTokens(await createNamespace(), { wrap: intercepting(intercept) });
  await opened.tokens.add(token("a"));
  isLossy = true;
  expect(await opened.tokens.remove("a")).toBe(1);
  expect(isLossy).toBe(false);
});

test("two processes that remove one token count it once", async () => {
  const namespace = await createNamespace();
  await using one = await openTokens(namespace);
  await using other = await openTokens(namespace);
  for (let round = 0; round < 20; round++) {
    await one.tokens.add(token("a", round));
    const counts = await Promise.all([one, other].map(({ tokens }) => tokens.remove("a")));
    expect(counts.toSorted((a, b) => a - b)).toEqual([0, 1]);
  }
});

test("says which entry is no token, and that the bucket is missing", async () => {
  const opened = await openTokens(await createNamespace());
  await using _closing = opened;
  await (await new Kvm(opened.connection).open(`${opened.namespace}_tokens`)).put("k", "{}");
  const isCorrupt = (): boolean => {
    try {
      return opened.tokens.list().length > 0;
    } catch (error) {
      expect(error).toMatchObject({ code: "corrupt", message: expect.stringContaining("The entry k") as string });
      return true;
    }
  };
  await waitFor(isCorrupt);
  const message = expect.stringContaining("fairlead fleet init") as string;
  await expect(openTokens("missing")).rejects.toMatchObject({ code: "invalid-settings", message });
});

test("1,000 tokens of many labels are added, listed by another process and removed", async () => {
  const namespace = await createNamespace();
  await using one = await openTokens(namespace);
  const labels = ["ä b", "*", ">", "a.b", "x".repeat(5000)];
  const tokens = Array.from({ length: 1000 }, (_, index) => token(labels[index % 5]!, index));
  await Promise.all(tokens.map((each) => one.tokens.add(each)));
  const startedAt = performance.now();
  await using other = await openTokens(namespace);
  console.log(`A process lists 1,000 tokens ${Math.round(performance.now() - startedAt)} ms after it connects.`);
  const byDigest = (all: readonly StoredToken[]): readonly StoredToken[] =>
    all.toSorted((a, b) => (a.digest < b.digest ? -1 : 1));
  expect(byDigest(other.tokens.list())).toEqual(tokens);
  const readAt = performance.now();
  for (let read = 0; read < 1000; read++) other.tokens.list();
  console.log(`A list of 1,000 tokens takes ${(performance.now() - readAt).toFixed(1)} µs.`);
  expect(await other.tokens.remove("*")).toBe(200);
  expect(other.tokens.list()).toHaveLength(800);
});
