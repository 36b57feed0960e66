import { describe, expect, test } from "vitest";
import type { StoredToken, TokenStore } from "../token-store.ts";
import { openShared, type OpenPart, type ReopenPart } from "./opened-engine.ts";

export function testTokens(open: OpenPart<"tokens">, reopen: ReopenPart<"tokens"> | undefined): void {
  const openStores = async (): Promise<Stores> => {
    const shared = await openShared(open, reopen);
    const dispose = (): PromiseLike<void> => shared[Symbol.asyncDispose]();
    return { one: shared.first.tokens, other: shared.second.tokens, [Symbol.asyncDispose]: dispose };
  };

  describe("tokens", () => {
    test("another process sees a token that was added, and no longer one that was removed", async () => {
      await using stores = await openStores();
      await stores.one.add(token("phone", 1));
      await waitFor(() => stores.other.list().length === 1);
      expect(stores.other.list()).toEqual([token("phone", 1)]);
      expect(await stores.other.remove("phone")).toBe(1);
      await waitFor(() => stores.one.list().length === 0);
    });

    test("removes every token with the label, and no other", async () => {
      await using stores = await openStores();
      for (const [index, label] of ["a", "b", "a"].entries()) await stores.one.add(token(label, index));
      expect(await stores.one.remove("a")).toBe(2);
      expect(await stores.one.remove("a")).toBe(0);
      expect(stores.one.list().map(({ label }) => label)).toEqual(["b"]);
    });

    test("the version changes with every change, and only then", async () => {
      await using stores = await openStores();
      const versions = [stores.one.version()];
      await stores.one.add(token("a", 1));
      versions.push(stores.one.version());
      expect(stores.one.version()).toBe(versions[1]);
      await stores.other.add(token("b", 2));
      await waitFor(() => stores.one.version() !== versions[1]);
      versions.push(stores.one.version());
      await stores.one.remove("a");
      versions.push(stores.one.version());
      expect(new Set(versions).size).toBe(4);
    });

    test("concurrent changes of two processes lose no token", async () => {
      await using stores = await openStores();
      const add = (store: TokenStore, index: number): Promise<void> => store.add(token(`t${index}`, index));
      await Promise.all(Array.from({ length: 40 }, (_, n) => add(n % 2 === 0 ? stores.one : stores.other, n)));
      await waitFor(() => stores.one.list().length === 40);
      expect(new Set(stores.one.list().map(({ label }) => label)).size).toBe(40);
    });

    test("keeps when a token expires, and removes expired ones with the next one", async () => {
      await using stores = await openStores();
      const past = { ...token("past", 1), expiresAt: new Date(Date.now() - 1000).toISOString() };
      const future = { ...token("future", 2), expiresAt: new Date(Date.now() + 3_600_000).toISOString() };
      await stores.one.add(past);
      expect(stores.one.list()).toEqual([past]);
      await stores.one.add(future);
      expect(stores.one.list()).toEqual([future]);
      await waitFor(() => stores.other.list().length === 1);
      expect(stores.other.list()).toEqual([future]);
    });

    test("keeps the folders to which a token is limited", async () => {
      await using stores = await openStores();
      const limited = { ...token("limited", 1), workspaces: ["/work/a", "/work/b"] };
      await stores.one.add(limited);
      expect(stores.one.list()).toEqual([limited]);
    });
  });
}

/** Two views of one token store, as two processes have them. */
interface Stores extends AsyncDisposable {
  readonly one: TokenStore;
  readonly other: TokenStore;
}

function token(label: string, index: number): StoredToken {
  const digest = index.toString(16).padStart(64, "0");
  return { label, scopes: ["read"], digest, issuedAt: new Date(index).toISOString() };
}

/** Waits for a change that another process made. An engine with a copy of the tokens gets it a moment later. */
async function waitFor(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { interval: 5, timeout: 5000 }).toBe(true);
}
