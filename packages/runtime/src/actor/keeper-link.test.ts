import type { KeeperConnection, KeeperRequest, Mask } from "@fairlead/keeper";
import { expect, test } from "vitest";
import { KeeperLink } from "./keeper-link.ts";

const masks: readonly Mask[] = [{ text: "a-secret", mask: "XXabcdef", restores: true }];
const note = (id: string): KeeperRequest => ({ do: "note", id, text: "" });
const never = new Promise<void>(() => {});

/** A keeper that accepts everything, and the requests that it got. */
function createKeeper(features: readonly string[]): { keeper: KeeperConnection; requests: string[] } {
  const requests: string[] = [];
  const send = async (request: KeeperRequest): Promise<{ seq: number; duplicate: boolean }> => {
    requests.push(request.do === "mask" ? "mask" : request.id);
    return { seq: 1, duplicate: false };
  };
  return { keeper: { features: new Set(features), send } as unknown as KeeperConnection, requests };
}

test("each keeper gets the masks once, before everything else, and requests stay in their order", async () => {
  const [first, second] = [createKeeper(["masks"]), createKeeper(["masks"])];
  const link = new KeeperLink(first.keeper, () => masks);
  await Promise.all(["1", "2", "3"].map((id) => link.sendUntilRecorded(note(id), never)));
  expect(first.requests).toEqual(["mask", "1", "2", "3"]);
  link.replace(second.keeper);
  await link.sendUntilRecorded(note("4"), never);
  expect(second.requests).toEqual(["mask", "4"]);
  const command = { program: "true", args: [], env: {}, cwd: "/", stdin: "none" } as const;
  await link.sendUntilRecorded({ do: "launch", id: "5", command }, never);
  expect(second.requests).toEqual(["mask", "4", "mask", "5"]);
});

test("a keeper of an older version gets no masks, nor does one whose session has no secrets", async () => {
  const [older, current] = [createKeeper([]), createKeeper(["masks"])];
  await new KeeperLink(older.keeper, () => masks).sendUntilRecorded(note("1"), never);
  await new KeeperLink(current.keeper, () => []).sendUntilRecorded(note("1"), never);
  expect([older.requests, current.requests]).toEqual([["1"], ["1"]]);
});
