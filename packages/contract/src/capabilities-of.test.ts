import { expect, test } from "vitest";
import { z } from "zod";
import { capabilitiesOf } from "./capabilities-of.ts";
import type { Manifest } from "./manifest.ts";

const manifest: Manifest = {
  contract: "adapter/1",
  id: "some",
  version: "1.0.0",
  vendor: "Somebody",
  label: "Some",
  models: [],
  capabilities: ["tools", "questions"],
  since: { questions: "2.0.77" },
  modes: ["default"],
  settings: z.strictObject({}),
  environment: [],
};

test("an older program lacks what came later", () => {
  expect(capabilitiesOf(manifest, "1.0.128")).toEqual(["tools"]);
  expect(capabilitiesOf(manifest, "2.0.8")).toEqual(["tools"]);
});

test("from that version on it has it, and a version that is not known is taken to be today's", () => {
  for (const version of ["2.0.77", "2.0.100", "2.1.3", "10.0.0", null]) {
    expect(capabilitiesOf(manifest, version)).toEqual(["tools", "questions"]);
  }
});
