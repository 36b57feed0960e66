import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FairleadError } from "@fairlead/contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Receipts } from "./receipts.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "receipts-"));
  file = join(folder, "receipts.db");
});
afterEach(() => rmSync(folder, { recursive: true }));

const about = (session: string, act: (session: string, again: boolean) => Promise<unknown>) => ({
  session: async () => session,
  act,
});
const never = about("other", () => Promise.reject(new Error("It was done a second time.")));

test("nobody but its owner may read it, nor what lies beside it", async () => {
  using receipts = new Receipts(file);
  await receipts.once(
    "a",
    ["send"],
    about("s", async () => ({ title: "a prompt" })),
  );
  const modes = readdirSync(folder).map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8));
  expect(modes.length).toBeGreaterThan(1);
  expect(new Set(modes)).toEqual(new Set(["600"]));
});

test("what came of a command is given again, by the next process too: a result, nothing, or a refusal", async () => {
  {
    using receipts = new Receipts(file);
    expect(
      await receipts.once(
        "a",
        ["send", { x: 1, y: 2 }],
        about("s", async () => ({ turn: "t" })),
      ),
    ).toEqual({ turn: "t" });
    expect(
      await receipts.once(
        "b",
        ["stop"],
        about("s", async () => undefined),
      ),
    ).toBeUndefined();
    const refusing = about("s", () => Promise.reject(new FairleadError("no-open-turn", "No turn.")));
    await expect(receipts.once("c", ["interrupt"], refusing)).rejects.toThrow("No turn.");
  }
  using receipts = new Receipts(file);
  expect(await receipts.once("a", ["send", { y: 2, x: 1 }], never)).toEqual({ turn: "t" });
  expect(await receipts.once("b", ["stop"], never)).toBeUndefined();
  await expect(receipts.once("c", ["interrupt"], never)).rejects.toMatchObject({ code: "no-open-turn" });
  await expect(receipts.once("a", ["send", { x: 2, y: 2 }], never)).rejects.toMatchObject({ code: "conflict" });
});

test("what has only failed is done again, in the session that was meant the first time", async () => {
  using receipts = new Receipts(file);
  const failing = about("first", () => Promise.reject(new FairleadError("unavailable", "Not now.")));
  await expect(receipts.once("a", ["send"], failing)).rejects.toThrow("Not now.");
  const seen = await receipts.once(
    "a",
    ["send"],
    about("second", async (session, again) => ({ session, again })),
  );
  expect(seen).toEqual({ session: "first", again: true });
});

test("a command whose session is not known leaves no receipt", async () => {
  using receipts = new Receipts(file);
  const lost = { session: () => Promise.reject(new FairleadError("session-not-found", "None.")), act: never.act };
  await expect(receipts.once("a", ["send"], lost)).rejects.toThrow("None.");
  expect(
    await receipts.once(
      "a",
      ["other"],
      about("s", async (_, again) => again),
    ),
  ).toBe(false);
});

test("a key is forgotten after a week, and not before", async () => {
  const day = 24 * 60 * 60 * 1000;
  {
    using receipts = new Receipts(file);
    await receipts.once(
      "a",
      ["send"],
      about("s", async () => 1),
    );
  }
  {
    using receipts = new Receipts(file, Date.now() + 6 * day);
    expect(await receipts.once("a", ["send"], never)).toBe(1);
  }
  using receipts = new Receipts(file, Date.now() + 8 * day);
  expect(
    await receipts.once(
      "a",
      ["send"],
      about("s", async () => 2),
    ),
  ).toBe(2);
});

test.each(["", "a b", "ü", "x".repeat(201)])("the key %j is refused", async (key) => {
  using receipts = new Receipts(file);
  await expect(receipts.once(key, ["send"], never)).rejects.toMatchObject({ code: "invalid-request" });
});

test("what came of commands about a session is forgotten, but not that they were given", async () => {
  using receipts = new Receipts(file);
  const told = about("gone", async () => ({ title: "a secret" }));
  await receipts.once("a", ["start"], told);
  await receipts.once(
    "b",
    ["start"],
    about("kept", async () => "kept"),
  );
  receipts.forget("gone");
  await expect(receipts.once("a", ["start"], never)).rejects.toMatchObject({ code: "session-not-found" });
  expect(await receipts.once("b", ["start"], never)).toBe("kept");
});
