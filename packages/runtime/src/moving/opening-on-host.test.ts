import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Adapter, Opening } from "@fairlead/contract";
import { exampleOpening } from "@fairlead/testing/reducer/example-opening.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Home } from "../home.ts";
import { openingOnHost } from "./opening-on-host.ts";

const adapter = {
  manifest: { id: "made-up", label: "Made Up", workspaceFiles: [".rules"], workspacePrograms: [".plugins"] },
  needs: () => ({ writes: [], hides: [], protects: [".rules", ".hooks"] }),
} as unknown as Adapter;
const probeResult = { ...exampleOpening.probeResult, version: "3" };

let folder: string;
let opening: Opening;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fl-opening-"));
  opening = { ...exampleOpening, workspace: folder };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const arrive = (isTrusted: boolean): Promise<Opening> =>
  openingOnHost(adapter, opening, {
    probeResult,
    trustsWorkspace: () => isTrusted,
    sandbox: {
      adapters: [adapter],
      environment: {},
      home: new Home(join(folder, "home")),
      fallback: "none",
      network: "open",
      problem: () => Promise.resolve(null),
    },
  });

describe("a session that continues on another host", () => {
  test("ignores the files of a workspace that the user of this host does not trust", async () => {
    mkdirSync(join(folder, ".rules"));
    await expect(arrive(true)).resolves.not.toHaveProperty("untrustedFiles");
    await expect(arrive(false)).resolves.toMatchObject({ untrustedFiles: [".rules"], probeResult: { version: "3" } });
  });

  test("still ignores them here if it was started in an untrusted workspace", async () => {
    opening = { ...opening, untrustedFiles: [".rules"] };
    await expect(arrive(true)).resolves.toMatchObject({ untrustedFiles: [".rules"] });
  });

  test.each([".plugins", ".hooks"])("is refused if its agent would run an untrusted %s here", async (name) => {
    mkdirSync(join(folder, name));
    await expect(arrive(true)).resolves.toMatchObject({ workspace: folder });
    await expect(arrive(false)).rejects.toMatchObject({ code: "not-allowed" });
  });
});
