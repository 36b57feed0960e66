import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Adapter, AgentCredential, Opening } from "@fairlead/contract";
import { TestHome } from "@fairlead/testing/runtime/test-home.ts";
import { expect, test } from "vitest";
import { determineSandbox } from "./session-sandbox.ts";

/** Returns what the sandbox of a session behind a gate says about the key. */
async function credentialOf(
  testHome: TestHome,
  credential: Partial<AgentCredential>,
  variables: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  const service = { variable: "KEY", url: "https://service.example.com", header: "x-api-key", prefix: "" };
  const adapter = {
    manifest: { id: "agent", environment: ["KEY", "HEADERS"] },
    needs: () => ({
      writes: [],
      hides: [],
      protects: [],
      credential: { ...service, variables: () => ({}), ...credential },
    }),
  } as unknown as Adapter;
  const opening = { workspace: testHome.folder, settings: {}, probeResult: { auth: "api-key" } } as unknown as Opening;
  const sandbox = await determineSandbox(
    adapter,
    opening,
    { network: "gate" },
    {
      adapters: [adapter],
      environment: { HOME: "/home/person", KEY: "a key", ...variables },
      home: testHome.home,
      fallback: "none",
      network: "open",
      problem: () => Promise.resolve(null),
    },
  );
  return sandbox.credential;
}

test("a key is withheld unless a file says that the agent uses another credential", async () => {
  await using testHome = new TestHome();
  const path = (name: string): string => join(testHome.folder, name);
  writeFileSync(path("chooses"), "other = 1\nservice = mine\n");
  writeFileSync(path("other"), "other = 1\n");
  symlinkSync(path("chooses"), path("link"));
  symlinkSync(path("other"), path("other-link"));
  symlinkSync(path("absent"), path("broken"));
  mkdirSync(path("folder"));
  const pattern = /^service/m;
  expect(await credentialOf(testHome, {})).toBe("withheld");
  expect(await credentialOf(testHome, { unless: [{ path: path("absent") }, { path: path("broken") }] })).toBe(
    "withheld",
  );
  expect(await credentialOf(testHome, { unless: [{ path: path("absent") }, { path: path("other") }] })).toBe("inside");
  const withPattern = (name: string): Partial<AgentCredential> => ({ unless: [{ path: path(name), pattern }] });
  expect(await credentialOf(testHome, withPattern("absent"))).toBe("withheld");
  expect(await credentialOf(testHome, withPattern("other"))).toBe("withheld");
  expect(await credentialOf(testHome, withPattern("chooses"))).toBe("inside");
  expect(await credentialOf(testHome, withPattern("link"))).toBe("inside");
  expect(await credentialOf(testHome, withPattern("other-link"))).toBe("withheld");
  expect(await credentialOf(testHome, withPattern("folder"))).toBe("inside");
});

test("a key is inside if another variable of the agent contains it, unless that is replaced as well", async () => {
  await using testHome = new TestHome();
  const headers = { HEADERS: "authorization: a key" };
  expect(await credentialOf(testHome, {}, { OTHER: "a key" })).toBe("withheld");
  expect(await credentialOf(testHome, {}, headers)).toBe("inside");
  expect(await credentialOf(testHome, { variables: (_, standIn) => ({ HEADERS: standIn }) }, headers)).toBe("withheld");
});

test("an agent's folder that leads to the home is not writable", async () => {
  await using testHome = new TestHome();
  const home = join(testHome.folder, "person");
  mkdirSync(join(home, "own"), { recursive: true });
  symlinkSync(home, join(home, "all"));
  symlinkSync("own", join(home, "link"));
  const writes = ["all", "link"].map((name) => `${home}/${name}/`);
  const adapter = { manifest: { id: "agent", environment: [] }, needs: () => ({ writes, hides: [], protects: [] }) };
  const workspace = join(testHome.folder, "workspace");
  mkdirSync(workspace);
  const opening = { workspace, settings: {}, probeResult: { auth: "none" } } as unknown as Opening;
  const sandbox = await determineSandbox(
    adapter as unknown as Adapter,
    opening,
    {},
    {
      adapters: [],
      environment: { HOME: home },
      home: testHome.home,
      fallback: "bwrap",
      network: "open",
      problem: () => Promise.resolve(null),
    },
  );
  expect(sandbox.writes).toEqual(["link", "own"].map((name) => join(home, name)));
});
