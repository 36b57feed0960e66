import { expect, test } from "vitest";
import { describeMissingPlaces } from "./describe-missing-places.ts";
import type { HostState } from "./status/read-hosts.ts";

const host = (id: string, changes: Partial<HostState> = {}): HostState => ({
  id,
  owner: `${id}/1`,
  name: id,
  pool: "default",
  capacity: 2,
  version: "1",
  state: "ready",
  sessions: 0,
  ...changes,
});

test.each([
  [
    "no other host takes work",
    [host("b", { state: "draining" }), host("c", { pool: "x" })],
    /^The pool default has no/,
  ],
  [
    "all others are full",
    [host("b", { sessions: 2 }), host("c", { sessions: 3 })],
    /^No other host .* has a free place/,
  ],
  ["one has a place", [host("b", { sessions: 2 }), host("c", { sessions: 1 })], null],
  ["the capacity of one is unknown", [host("b", { sessions: 9, capacity: null })], null],
])("says whether a session could go elsewhere if %s", (_, others, expected) => {
  const sentence = describeMissingPlaces([host("a", { state: "draining" }), ...others], "a");
  if (expected === null) expect(sentence).toBeNull();
  else expect(sentence).toMatch(expected);
});
