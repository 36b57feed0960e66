import type { GrantView } from "@fairlead/api";
import { FairleadError } from "@fairlead/contract";
import { expect, test } from "vitest";
import { type AccessRequests, peekGrant, peekToken, signIn, signInWithToken } from "./sign-in.ts";
import { type KeyValueStorage, type TokenPlaces, tokenKey } from "./token.ts";

const grant: GrantView = { label: "browser", scopes: ["read"], expiresAt: null };
const notAllowed = new FairleadError("not-allowed", "The code was used before.");
const unavailable = new FairleadError("unavailable", "Cannot connect.");

class TestStorage implements KeyValueStorage {
  readonly items = new Map<string, string>();
  getItem(key: string): string | null {
    return this.items.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    this.items.set(key, value);
  }
  removeItem(key: string): void {
    this.items.delete(key);
  }
}

function openPage(hash: string, path = "/s/abc", stored: { tab?: string; device?: string } = {}) {
  const tab = new TestStorage();
  const device = new TestStorage();
  if (stored.tab) tab.setItem(tokenKey, stored.tab);
  if (stored.device) device.setItem(tokenKey, stored.device);
  const addresses: string[] = [];
  const history = {
    state: null,
    replaceState: (_: unknown, __: string, address?: string | URL | null) => void addresses.push(String(address)),
  };
  const location = { origin: "http://127.0.0.1:4747", pathname: path, search: "?state=idle", hash };
  return { places: { location, history, tab, device } satisfies TokenPlaces, tab, device, addresses };
}

/** Requests that record what they are asked, and the addresses at that moment. */
function answer(parts: Partial<AccessRequests>): AccessRequests {
  return {
    exchange: () => Promise.reject(new Error("unexpected exchange")),
    readGrant: () => Promise.reject(new Error("unexpected grant")),
    ...parts,
  };
}

test("a code leaves the address before it is sent, and its token stays in the tab", async () => {
  const { places, tab, device, addresses } = openPage("#code=flc_secret");
  const requests = answer({
    exchange: async (code) => {
      expect(code).toBe("flc_secret");
      expect(addresses).toEqual(["http://127.0.0.1:4747/s/abc?state=idle"]);
      return { token: "fl_t", persistent: false, grant };
    },
  });
  expect(await signIn(places, requests)).toEqual({ type: "accepted", token: "fl_t", grant });
  expect([tab.getItem(tokenKey), device.getItem(tokenKey)]).toEqual(["fl_t", null]);
});

test("a persistent token stays on the device, and replaces that of the tab", async () => {
  const { places, tab, device } = openPage("#code=flc_secret", "/", { tab: "fl_old" });
  const exchange = async () => ({ token: "fl_t", persistent: true, grant });
  expect(await signIn(places, answer({ exchange }))).toMatchObject({ type: "accepted", token: "fl_t" });
  expect([tab.getItem(tokenKey), device.getItem(tokenKey)]).toEqual([null, "fl_t"]);
});

test("what else is in the fragment stays, and an address without a code is not touched", async () => {
  const readGrant = async () => grant;
  const first = openPage("#120&code=flc_secret", "//evil.example/x", { tab: "fl_t" });
  await signIn(first.places, answer({ exchange: () => Promise.reject(notAllowed), readGrant }));
  expect(first.addresses).toEqual(["http://127.0.0.1:4747//evil.example/x?state=idle#120"]);
  const second = openPage("#120", "/s/abc", { tab: "fl_t" });
  await signIn(second.places, answer({ readGrant }));
  expect(second.addresses).toEqual([]);
});

test.each([{ tab: "fl_tab", device: "fl_device" }, { device: "fl_device" }])(
  "finds the token of %j",
  async (stored) => {
    const { places } = openPage("", "/", stored);
    const token = stored.tab ?? "fl_device";
    expect(await signIn(places, answer({ readGrant: async () => grant }))).toEqual({ type: "accepted", token, grant });
  },
);

test("without a token, the page says so and asks nothing", async () => {
  expect(await signIn(openPage("").places, answer({}))).toMatchObject({ type: "refused", kind: "no-token" });
});

test("a used code is refused with the reason, unless the page has access already", async () => {
  const exchange = () => Promise.reject(notAllowed);
  const fresh = openPage("#code=flc_used");
  const refused = { type: "refused", kind: "code-refused", reason: "The code was used before." };
  expect(await signIn(fresh.places, answer({ exchange }))).toEqual(refused);
  expect(fresh.addresses).toHaveLength(1);
  const signedIn = openPage("#code=flc_used", "/", { tab: "fl_t" });
  const accepted = await signIn(signedIn.places, answer({ exchange, readGrant: async () => grant }));
  expect(accepted).toMatchObject({ type: "accepted", token: "fl_t" });
});

test("a refused token is removed, and one that could not be checked is kept", async () => {
  const refused = openPage("", "/", { tab: "fl_t", device: "fl_other" });
  const rejecting = answer({ readGrant: () => Promise.reject(new FairleadError("not-allowed", "No.")) });
  expect(await signIn(refused.places, rejecting)).toMatchObject({ type: "refused", kind: "token-refused" });
  expect([refused.tab.getItem(tokenKey), refused.device.getItem(tokenKey)]).toEqual([null, "fl_other"]);
  const away = openPage("", "/", { tab: "fl_t" });
  const absent = answer({ readGrant: () => Promise.reject(unavailable) });
  expect(await signIn(away.places, absent)).toMatchObject({ type: "refused", kind: "unavailable" });
  expect(away.tab.getItem(tokenKey)).toBe("fl_t");
});

test("a browser that blocks its storage has access until the page is reloaded", async () => {
  const { places } = openPage("#code=flc_secret");
  const blocked: KeyValueStorage = {
    getItem: () => {
      throw new Error("SecurityError");
    },
    setItem: () => {
      throw new Error("SecurityError");
    },
    removeItem: () => {
      throw new Error("SecurityError");
    },
  };
  const exchange = async () => ({ token: "fl_t", persistent: true, grant });
  const result = await signIn({ ...places, tab: blocked, device: blocked }, answer({ exchange }));
  expect(result).toMatchObject({ type: "accepted", token: "fl_t" });
});

test("a kept token is used at once, but not before a code that is to be exchanged", () => {
  expect(peekToken(openPage("", "/", { tab: "t" }).places)).toBe("t");
  expect(peekToken(openPage("", "/", {}).places)).toBe(null);
  const withCode = openPage("#code=flc_1", "/", { tab: "t" });
  expect(peekToken(withCode.places)).toBe(null);
  expect(withCode.addresses).toEqual([]);
});

test("a typed token is kept for the tab only, and dropped if the service refuses it", async () => {
  const accepted = openPage("");
  const readGrant = (): Promise<GrantView> => Promise.resolve(grant);
  expect(await signInWithToken("fl_typed", accepted.places, answer({ readGrant }))).toMatchObject({
    token: "fl_typed",
  });
  expect([accepted.tab.items.get(tokenKey), accepted.device.items.size]).toEqual(["fl_typed", 0]);
  const refused = openPage("");
  const refuse = (): Promise<GrantView> => Promise.reject(notAllowed);
  expect(await signInWithToken("fl_wrong", refused.places, answer({ readGrant: refuse }))).toMatchObject({
    kind: "token-refused",
  });
  expect(refused.tab.items.size).toBe(0);
  expect(await signInWithToken("flaß \n", refused.places)).toMatchObject({ kind: "token-refused" });
  expect(refused.tab.items.size).toBe(0);
});

test("what a token permits is known after a reload, and not what another token permitted", async () => {
  const { places } = openPage("", "/", { device: "fl_phone" });
  expect(peekGrant("fl_phone", places)).toBeNull();
  await signIn(places, answer({ readGrant: async () => grant }));
  expect(peekGrant("fl_phone", places)).toEqual(grant);
  expect(peekGrant("fl_other", places)).toBeNull();
  await signInWithToken("fl_other", places, answer({ readGrant: () => Promise.reject(unavailable) }));
  expect(peekGrant("fl_other", places)).toBeNull();
  // The service refuses it: nothing of it stays.
  const again = openPage("", "/", { tab: "fl_t" });
  await signIn(again.places, answer({ readGrant: async () => grant }));
  await signIn(again.places, answer({ readGrant: () => Promise.reject(notAllowed) }));
  expect(again.tab.items.size).toBe(0);
});
