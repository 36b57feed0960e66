import { expect, it } from "vitest";
import { formatAge, formatDuration, formatMoney } from "./format-amounts.ts";

it.each([
  [420, "420 ms"],
  [1940, "1.9 s"],
  [125_000, "2 min 5 s"],
  [3_780_000, "1 h 3 min"],
  [-5, "0 ms"],
])("formats a duration of %d ms as %s", (milliseconds, text) => expect(formatDuration(milliseconds)).toBe(text));

it.each([
  [12_000, "12 s"],
  [300_000, "5 min"],
  [47 * 3_600_000, "47 h"],
  [72 * 3_600_000, "3 d"],
])("formats an age of %d ms as %s", (milliseconds, text) => expect(formatAge(milliseconds)).toBe(text));

it.each([
  [0, "$0.00"],
  [0.0123, "$0.0123"],
  [12.345, "$12.35"],
])("formats %d dollars as %s", (amount, text) => expect(formatMoney(amount)).toBe(text));
