import { expect, test } from "vitest";
import { nestedRoomPaths, normalizeRooms, roomOf, RoomsInput } from "./rooms.ts";

const rooms = normalizeRooms({ web: "./packages/web/", admin: ["packages/web/admin"], docs: ["docs", "README.md"] });

test("a path belongs to the room with the longest path above it", () => {
  expect(roomOf(rooms, "packages/web/a.ts")).toBe("web");
  expect(roomOf(rooms, "packages/web/admin/a.ts")).toBe("admin");
  expect(roomOf(rooms, "packages/website/a.ts")).toBeNull();
  expect(roomOf(rooms, "README.md")).toBe("docs");
  expect(roomOf({ ...rooms, rest: ["."] }, "a.ts")).toBe("rest");
  expect(roomOf({ ...rooms, rest: ["."] }, "docs/a.md")).toBe("docs");
  expect(nestedRoomPaths(rooms, "web")).toEqual(["packages/web/admin"]);
  expect(nestedRoomPaths(rooms, "admin")).toEqual([]);
});

test.each([
  [{ web: "/packages/web" }, "relative to the workspace"],
  [{ web: "~/web" }, "relative to the workspace"],
  [{ web: "../web" }, "`..`"],
  [{ web: ["docs", "packages/../web"] }, "`..`"],
  [{ web: "packages/*" }, "not a pattern"],
  [{ web: "docs", other: ["./docs/"] }, 'Two rooms have the path "docs"'],
  [{ "my room": "docs" }, ""],
  [{ web: [] }, ""],
])("refuses %j", (input, problem) => {
  const { success, error } = RoomsInput.safeParse(input);
  expect(success).toBe(false);
  expect(error?.issues.map(({ message }) => message).join("\n")).toContain(problem);
});
