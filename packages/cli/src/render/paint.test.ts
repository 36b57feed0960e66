import { expect, it } from "vitest";
import { paintFor } from "./paint.ts";

it("colours only for a terminal whose owner has not asked for none", () => {
  expect(paintFor({ isTTY: true }, {})("red", "x")).toBe("\u001b[31mx\u001b[39m");
  expect(paintFor({ isTTY: true }, { NO_COLOR: "" })("red", "x")).not.toBe("x");
  expect(paintFor({ isTTY: true }, { NO_COLOR: "1" })("red", "x")).toBe("x");
  expect(paintFor({ isTTY: true }, { TERM: "dumb" })("red", "x")).toBe("x");
  expect(paintFor({}, {})("red", "x")).toBe("x");
});
