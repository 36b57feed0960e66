import { equal } from "node:assert/strict";
import { test } from "node:test";
import { sum } from "./sum.js";

test("adds", () => equal(sum(2, 3), 5));
