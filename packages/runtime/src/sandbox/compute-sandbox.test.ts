import { expect, test } from "vitest";
import { noSandbox } from "@fairlead/keeper";
import { computeSandbox, type SandboxChoice, type SandboxFacts } from "./compute-sandbox.ts";

const facts: SandboxFacts = {
  workspace: "/w",
  home: "/h",
  dataDirectory: "/h/.fairlead",
  loginFiles: ["/opt/fleet/password"],
  needs: {
    writes: ["/h/.mine/", "/h/.mine.json"],
    hides: ["/h/.mine/daemon.sock"],
    protects: [".mine/settings.json"],
    reads: ["/h/.mine-settings"],
  },
  otherNeeds: [
    {
      writes: ["/h/.other/"],
      hides: ["/h/.other/daemon.sock"],
      protects: [".other/settings.json"],
      reads: ["/h/.other-settings"],
    },
  ],
  gitFolders: { writes: ["/w/.git"], protects: ["/w/.git/config", "/w/.git/hooks"], shows: ["/top"] },
  openings: { hosts: [], forwards: [], shows: ["/h/.ssh"], writes: ["/cache"], commits: true },
};
const strict: SandboxChoice = { kind: "bwrap", workspace: "write", network: "none" };

test("an agent writes its own folders and the repository, and not what makes git or an agent run programs", () => {
  const { writes, protects } = computeSandbox(strict, facts);
  expect(writes).toEqual(["/h/.mine", "/h/.mine.json", "/w/.git", "/cache"]);
  expect(protects).toEqual(
    expect.arrayContaining(["/w/.git/config", "/w/.git/hooks", "/w/.mine/settings.json", "/w/.other/settings.json"]),
  );
});

test("an agent sees neither the data directory, nor secrets, nor other agents' folders, nor its own daemon", () => {
  const { hides, shows } = computeSandbox(strict, facts);
  expect(hides).toEqual(
    expect.arrayContaining([
      "/h/.fairlead",
      "/opt/fleet/password",
      "/h/.ssh",
      "/h/.aws",
      "/etc/shadow",
      "/h/.other",
      "/h/.other-settings",
      "/h/.mine/daemon.sock",
    ]),
  );
  expect(hides).not.toContain("/h/.mine");
  expect(hides).not.toContain("/h/.mine-settings");
  expect(shows).toEqual(["/h/.mine-settings", "/top", "/h/.ssh"]);
});

test("agents that share a folder both see it", () => {
  const shared = { ...facts, otherNeeds: [facts.needs] };
  expect(computeSandbox(strict, shared).hides).not.toContain("/h/.mine");
});

test("an agent that only reads the workspace cannot write its repository either", () => {
  expect(computeSandbox({ ...strict, workspace: "read" }, facts).writes).not.toContain("/w/.git");
});

test("without a sandbox there are no limits", () => {
  expect(computeSandbox({ kind: "none", workspace: "write", network: "open" }, facts)).toEqual(noSandbox);
});

test("a gate lets through the agent's service and what the user lists", () => {
  const needs = {
    ...facts.needs,
    hosts: ["api.example.com"],
    refusedHosts: ["telemetry.example.com", "updates.example.com"],
    services: ["http://127.0.0.1:8080/v1", "https://model.internal", "http://[::1]/", "not a URL", "file:///x"],
  };
  const openings = { ...facts.openings, hosts: ["updates.example.com", "git.example.com:22"], forwards: [5432] };
  const { gate } = computeSandbox({ ...strict, network: "gate" }, { ...facts, needs, openings });
  expect(gate).toEqual({
    hosts: ["api.example.com", "updates.example.com", "git.example.com:22"],
    refusedHosts: ["telemetry.example.com"],
    services: ["127.0.0.1:8080", "model.internal:443", "[::1]:80"],
    forwards: [5432],
  });
  expect(computeSandbox(strict, { ...facts, needs, openings }).gate).toBeUndefined();
});

test("a gate finds a port for the service whose key it inserts, and the agent gets neither key nor URL", () => {
  const credential = {
    variable: "KEY",
    url: "https://api.example.com/v1/",
    header: "authorization",
    prefix: "Bearer ",
    variables: (url: string, key: string) => ({ KEY: key, URL: url, OTHER: null }),
  };
  const openings = { ...facts.openings, forwards: [8787] };
  const choice = { ...strict, network: "gate" } as const;
  const needs = { ...facts.needs, hosts: ["api.example.com"], backgroundHosts: ["updates.example.com"], credential };
  const { gate } = computeSandbox(choice, { ...facts, openings, needs });
  // There it could use another key.
  expect(gate?.hosts).toEqual(openings.hosts);
  expect(gate?.backgroundHosts).toEqual(["api.example.com", "updates.example.com"]);
  expect(gate?.endpoint).toEqual({
    port: 8788,
    url: credential.url,
    header: "authorization",
    prefix: "Bearer ",
    variable: "KEY",
    variables: { KEY: "withheld-by-fairlead", URL: "http://127.0.0.1:8788/v1", OTHER: null },
  });
});
