import { readFileSync } from "node:fs";
import { openapi } from "@fairlead/api";
import { expect, test } from "vitest";
import { openapiPage } from "../scripts/openapi.ts";

test("docs/openapi.json is what the routes say; `node scripts/openapi.ts` writes it", () => {
  expect(JSON.parse(readFileSync(openapiPage, "utf8"))).toEqual(openapi());
});
