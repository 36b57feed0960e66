import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findApiChange } from "../scripts/packages/api.ts";
import { formatPublicApi } from "../scripts/packages/format-public-api.ts";
import { buildPackages } from "../scripts/packages/run-or-throw.ts";
import { readPublicPackages, readWorkspacePackage } from "../scripts/packages/workspace-package.ts";

beforeAll(buildPackages, 120_000);

describe("the public API (npm run api -- --update writes the snapshots)", () => {
  it.each(readPublicPackages().map((workspacePackage) => ({ ...workspacePackage })))(
    "$name is as in its snapshot",
    (workspacePackage) => expect(findApiChange(workspacePackage) ?? "unchanged").toBe("unchanged"),
  );
});

describe("a snapshot", () => {
  const folder = mkdtempSync(join(tmpdir(), "fairlead-api-"));
  const example = {
    ...readWorkspacePackage("@fairlead/kit"),
    name: "@fairlead/example",
    folder,
    exports: { ".": { built: "./index.js" } },
  };
  const sources = {
    "index.d.ts": 'export { open, type Options as OpenOptions } from "./open.ts";\nexport { z } from "zod";\n',
    "open.d.ts":
      'import type { Size } from "./size.ts";\n/** Opens. */\nexport declare function open(options: Options): void;\n' +
      "export interface Options {\n    /** Its size. */\n    readonly size: Size;\n}\n",
    "size.d.ts": "export type Size = number;\nexport type Unused = string;\n",
  };
  beforeAll(() => {
    for (const [file, text] of Object.entries(sources)) writeFileSync(join(folder, file), text);
    writeFileSync(join(folder, "api.txt"), formatPublicApi(example));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("has the exported names, and the types that they need, without comments", () => {
    expect(formatPublicApi(example)).toBe(
      [
        "# @fairlead/example",
        "// as OpenOptions\ninterface Options {\n    readonly size: Size;\n}",
        "function open(options: Options): void;",
        "export z from zod;",
        "# not exported",
        "type Size = number;\n",
      ].join("\n\n"),
    );
    expect(findApiChange(example)).toBeNull();
  });

  it.each<[string, keyof typeof sources, string, string]>([
    ["a removed name", "index.d.ts", "open, ", ""],
    ["a changed signature", "open.d.ts", "): void", "): string"],
    ["a changed member", "open.d.ts", "readonly size", "size"],
    ["a change of a type that is not exported", "size.d.ts", "Size = number", "Size = string"],
  ])("detects %s", (_, file, before, after) => {
    writeFileSync(join(folder, file), sources[file].replace(before, after));
    expect(findApiChange(example)).toContain("npm run api -- --update");
    writeFileSync(join(folder, file), sources[file]);
    expect(findApiChange(example)).toBeNull();
  });

  it("rejects an export of everything, which would hide names", () => {
    writeFileSync(join(folder, "index.d.ts"), 'export * from "./open.ts";\n');
    expect(() => formatPublicApi(example)).toThrow("one by one");
    writeFileSync(join(folder, "index.d.ts"), sources["index.d.ts"]);
  });
});
