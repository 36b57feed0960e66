import { expect, it } from "vitest";
import { choosePaint } from "./paint.ts";

it("colors only on a terminal, and not with NO_COLOR or TERM=dumb", () => {
  expect(choosePaint({ isTTY: true }, {})("red", "x")).toBe("\u001b[31mx\u001b[39m");
  expect(choosePaint({ isTTY: true }, { NO_COLOR: "" })("red", "x")).not.toBe("x");
  expect(choosePaint({ isTTY: true }, { NO_COLOR: "1" })("red", "x")).toBe("x");
  expect(choosePaint({ isTTY: true }, { TERM: "dumb" })("red", "x")).toBe("x");
  expect(choosePaint({}, {})("red", "x")).toBe("x");
});
