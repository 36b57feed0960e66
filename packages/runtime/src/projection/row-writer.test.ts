import type { SessionIndex, SessionRow } from "@fairlead/journal";
import { expect, test, vi } from "vitest";
import { RowWriter } from "./row-writer.ts";

const rowOf = (session: string): SessionRow => ({ session }) as SessionRow;
const sourceOf = (session: string) => ({ toRow: () => rowOf(session) });
const tooLong = {
  toRow(): SessionRow {
    throw new RangeError("Invalid string length");
  },
};

/** An index that stores the ids of rows. `put` fails for the ids in `refused`. */
function createIndex(): { index: SessionIndex; stored: string[]; refused: Set<string> } {
  const stored: string[] = [];
  const refused = new Set<string>();
  const put = async ({ session }: SessionRow): Promise<boolean> => {
    if (refused.has(session)) throw new Error("The disk is full.");
    stored.push(session);
    return true;
  };
  return { index: { put } as Partial<SessionIndex> as SessionIndex, stored, refused };
}

test("a row that cannot be made affects neither the rows of other sessions nor a later flush", async () => {
  const { index, stored } = createIndex();
  await using writer = new RowWriter(index);
  writer.schedule(tooLong, true);
  writer.schedule(sourceOf("other"), true);
  await writer.flush();
  expect(stored).toEqual(["other"]);
  writer.schedule(tooLong, true);
  writer.schedule(sourceOf("later"), true);
  await writer.flush();
  await writer.flush();
  expect(stored).toEqual(["other", "later"]);
});

test("a row that cannot be made is not an unhandled rejection of the timer", async () => {
  const { index, stored } = createIndex();
  await using writer = new RowWriter(index);
  const rejections: unknown[] = [];
  const record = (reason: unknown): void => void rejections.push(reason);
  process.on("unhandledRejection", record);
  try {
    writer.schedule(tooLong, true);
    writer.schedule(sourceOf("other"), true);
    await vi.waitFor(() => expect([...stored, ...rejections]).not.toEqual([]));
  } finally {
    process.off("unhandledRejection", record);
  }
  expect({ stored, rejections }).toEqual({ stored: ["other"], rejections: [] });
});

test("a row that the index refuses is written later, and only that one is written again", async () => {
  const { index, stored, refused } = createIndex();
  await using writer = new RowWriter(index);
  refused.add("first");
  writer.schedule(sourceOf("first"), true);
  writer.schedule(sourceOf("second"), true);
  await writer.flush();
  expect(stored).toEqual(["second"]);
  refused.clear();
  await writer.flush();
  expect(stored).toEqual(["second", "first"]);
});
