import { expect, it } from "vitest";
import { age, duration, money } from "./amounts.ts";

it.each([
  [420, "420 ms"],
  [1940, "1.9 s"],
  [125_000, "2 min 5 s"],
  [3_780_000, "1 h 3 min"],
  [-5, "0 ms"],
])("%d milliseconds take %s", (milliseconds, text) => expect(duration(milliseconds)).toBe(text));

it.each([
  [12_000, "12 s"],
  [300_000, "5 min"],
  [47 * 3_600_000, "47 h"],
  [72 * 3_600_000, "3 d"],
])("%d milliseconds ago is %s", (milliseconds, text) => expect(age(milliseconds)).toBe(text));

it.each([
  [0, "$0.00"],
  [0.0123, "$0.0123"],
  [12.345, "$12.35"],
])("%d dollars are %s", (amount, text) => expect(money(amount)).toBe(text));
