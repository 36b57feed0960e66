import { expect, test } from "vitest";
import { absoluteFolder, namedPaths, userFolders, withoutHome } from "./user-folders.ts";

test("the folders are below the home, unless variables name others", () => {
  expect(userFolders({ HOME: "/home/u" })).toEqual({
    home: "/home/u",
    config: "/home/u/.config",
    data: "/home/u/.local/share",
    state: "/home/u/.local/state",
    cache: "/home/u/.cache",
  });
  expect(userFolders({ HOME: "/home/u/", XDG_STATE_HOME: "/s", XDG_CACHE_HOME: "" })).toMatchObject({
    home: "/home/u",
    state: "/s",
    cache: "/home/u/.cache",
  });
});

test.each([
  ["/a", "/a"],
  ["/a//b/", "/a/b"],
  ["/a/./b/../c", "/a/c"],
  ["/", ""],
  ["/..", ""],
  ["a/b", "/default"],
  ["", "/default"],
  [undefined, "/default"],
])("a variable with the value %j names the folder %j", (value, folder) => {
  expect(absoluteFolder(value, "/default")).toBe(folder);
});

test("paths that contain the home are left out, however they are written", () => {
  const paths = ["/", "/home", "/home/u", "/home/u/", "/home/u/x/..", "/home/u/.agent/", "/home/user", "/srv/agent"];
  expect(withoutHome({ HOME: "/home/u" }, paths)).toEqual(["/home/u/.agent/", "/home/user", "/srv/agent"]);
});

test("returns the paths that variables name, and neither the home nor what is no path", () => {
  const environment = { HOME: "/home/u", A: "/home/u/a.json", B: "relative", C: "", D: "/home", E: "/srv/./e/" };
  expect(namedPaths(environment, ["A", "B", "C", "D", "E", "F"])).toEqual(["/home/u/a.json", "/srv/e"]);
});
