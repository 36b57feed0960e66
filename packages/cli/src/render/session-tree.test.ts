import type { SessionView } from "@fairlead/api";
import { expect, test } from "vitest";
import { toTree } from "./session-tree.ts";

const view = (session: string, parent?: string, depth = 1): SessionView =>
  ({ session, ...(parent !== undefined && { parent: { session: parent, depth } }) }) as SessionView;

test("a session follows the one that started it, and is not indented below another one", () => {
  const { sessions, indents } = toTree([view("a"), view("c", "b"), view("d", "c", 2), view("b"), view("e", "gone")]);
  expect(sessions.map(({ session }) => [session, indents.get(session)])).toEqual([
    ["a", 0],
    ["b", 0],
    ["c", 1],
    ["d", 2],
    ["e", 0],
  ]);
});
