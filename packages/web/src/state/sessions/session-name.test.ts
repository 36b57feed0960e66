import { expect, test } from "vitest";
import { sessionNameOf } from "./session-name.ts";

test.each([
  [{ name: "deploy", title: "Ship it" }, "deploy"],
  [{ name: null, title: "Ship\nit" }, "Ship it"],
  [{ name: null, title: " " }, "24h3"],
])("names the session %o as %s", (view, expected) => {
  expect(sessionNameOf({ session: "24h3", ...view }, "24h3")).toBe(expected);
});

test("names a session that is not known by its id", () => {
  expect(sessionNameOf(null, "24h3")).toBe("24h3");
});
