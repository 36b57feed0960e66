import { expect, test } from "vitest";
import { hostOfOwner } from "./host-owner.ts";

test("an owner names its host, and other text does not", () => {
  expect(hostOfOwner(JSON.stringify({ host: "a", instance: "0123456789abcdef" }))).toBe("a");
  for (const text of ["", "{", "null", "{}", '{"host":"a"}', '{"host":"a","instance":"*"}', '{"host":"a","pid":1}'])
    expect(hostOfOwner(text)).toBeUndefined();
});
