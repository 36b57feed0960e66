import type { Sandbox } from "@fairlead/contract";
import { measureGrowthExponent } from "@fairlead/testing/measure-growth-exponent.ts";
import { expect, test } from "vitest";
import { noSandbox } from "./no-sandbox.ts";
import { type PathKind, sandboxArguments, type SandboxOptions } from "./sandbox-arguments.ts";

const folders = [
  "/usr",
  "/etc",
  "/h",
  "/h/tools",
  "/h/.ssh",
  "/h/.agent",
  "/w",
  "/w/.git",
  "/w/.git/hooks",
  "/w/.editor",
  "/w/.editor/tasks",
  "/tmp/p",
  "/tmp/p/bin",
];
const files = ["/etc/shadow", "/w/.editor/tasks/run.json", "/h/.netrc", "/w/.git/config", "/h/.agent/control.sock"];
const kindOf = (path: string): PathKind =>
  folders.includes(path) ? "folder" : files.includes(path) ? "file" : "missing";

const options: SandboxOptions = {
  sandbox: {
    ...noSandbox,
    kind: "bwrap",
    writes: ["/h/.agent", "/w/.git", "/h/absent"],
    protects: ["/w/.git/config", "/w/.git/hooks", "/w/.mcp.json"],
    hides: ["/h/.ssh", "/h/.netrc", "/h/.aws", "/etc/shadow"],
  },
  workspace: "/w",
  home: "/h",
  visible: { paths: ["/usr", "/etc", "/h/tools"], links: new Map([["/bin", "usr/bin"]]) },
  sockets: [],
  isRoot: false,
  isInNetwork: false,
  kindOf,
};

/** The mounts, in their order, without those that every sandbox has. */
function mounts(changed: Partial<SandboxOptions> = {}): string[] {
  const args = sandboxArguments({ ...options, ...changed });
  const first = args.indexOf("/run", args.indexOf("--dir")) + 1;
  return args
    .slice(first)
    .join(" ")
    .split(/ (?=--)/)
    .filter((mount) => !baseMounts.includes(mount));
}

const baseMounts = [
  "--tmpfs /tmp",
  "--symlink /tmp /var/tmp",
  "--tmpfs /h",
  "--ro-bind /usr /usr",
  "--ro-bind /etc /etc",
  "--symlink usr/bin /bin",
  "--ro-bind /h/tools /h/tools",
  "--ro-bind /dev/null /etc/shadow",
  "--remount-ro /",
];

test("shows only what is visible, and covers only what is hidden in it", () => {
  const args = sandboxArguments(options).join(" ");
  for (const mount of baseMounts) expect(args).toContain(mount);
  expect(args).not.toContain("/h/.ssh");
  expect(args).not.toContain("--ro-bind / /");
  expect(args.endsWith("--remount-ro /")).toBe(true);
});

test("protects and grants what exists, and mounts over nothing that does not", () => {
  expect(mounts()).toEqual([
    "--bind /w /w",
    "--bind /h/.agent /h/.agent",
    "--bind /w/.git /w/.git",
    "--ro-bind /w/.git/config /w/.git/config",
    "--ro-bind /w/.git/hooks /w/.git/hooks",
  ]);
});

test("mounts the folders between a protected file and the writable folder that it is in", () => {
  const sandbox: Sandbox = { ...options.sandbox, writes: [], protects: ["/w/.editor/tasks/run.json"] };
  expect(mounts({ sandbox })).toEqual([
    "--bind /w /w",
    "--bind /w/.editor /w/.editor",
    "--bind /w/.editor/tasks /w/.editor/tasks",
    "--ro-bind /w/.editor/tasks/run.json /w/.editor/tasks/run.json",
  ]);
  expect(mounts({ sandbox: { ...sandbox, workspace: "read" } })).toEqual(["--ro-bind /w /w"]);
});

test("mounts the folders between a writable folder and the one that it is in, so that no link takes their place", () => {
  const sandbox: Sandbox = { ...options.sandbox, writes: ["/w/.editor/tasks/run.json"], protects: [] };
  expect(mounts({ sandbox })).toEqual([
    "--bind /w /w",
    "--bind /w/.editor /w/.editor",
    "--bind /w/.editor/tasks /w/.editor/tasks",
    "--bind /w/.editor/tasks/run.json /w/.editor/tasks/run.json",
  ]);
});

test("mounts the folders between a hidden path and the writable folder that it is in", () => {
  const sandbox: Sandbox = { ...options.sandbox, writes: [], protects: [], hides: ["/w/.editor/tasks"] };
  expect(mounts({ sandbox })).toEqual(["--bind /w /w", "--bind /w/.editor /w/.editor", "--tmpfs /w/.editor/tasks"]);
});

test("hides sockets also in a folder that the agent can write", () => {
  const result = mounts({ sockets: ["/h/.agent/control.sock"] });
  expect(result.indexOf("--ro-bind /dev/null /h/.agent/control.sock")).toBeGreaterThan(
    result.indexOf("--bind /h/.agent /h/.agent"),
  );
});

test("shows a program that is in a private folder, and what the user opened", () => {
  const sandbox: Sandbox = { ...options.sandbox, writes: [], shows: ["/h/.ssh"], workspace: "read" };
  const visible = { ...options.visible, paths: [...options.visible.paths, "/tmp/p/bin"] };
  const result = mounts({ visible, sandbox });
  expect(result).toContain("--ro-bind /tmp/p/bin /tmp/p/bin");
  expect(result).toContain("--ro-bind /h/.ssh /h/.ssh");
  expect(result).not.toContain("--bind /w /w");
  // it is in the workspace, which is readable only
  expect(result).not.toContain("--ro-bind /w/.git/config /w/.git/config");
});

test("has a second folder for temporary files, which is a link unless something is in it", () => {
  const visible = { ...options.visible, paths: [...options.visible.paths, "/var/tmp/p"] };
  expect(sandboxArguments({ ...options, visible }).join(" ")).toContain("--tmpfs /var/tmp");
  expect(sandboxArguments({ ...options, visible }).join(" ")).not.toContain("--symlink /tmp /var/tmp");
});

test("creates links only where the folder is the sandbox's own", () => {
  const links = new Map([
    ["/h/tools/current", "v1"],
    ["/h/.agent/link", "x"],
    ["/h/link", "x"],
    ["/data", "/x"],
  ]);
  expect(mounts({ visible: { ...options.visible, links } }).filter((mount) => mount.startsWith("--symlink"))).toEqual([
    "--symlink /x /data",
    "--symlink x /h/link",
  ]);
});

test("gives root another user, and leaves the network alone only if it is open", () => {
  expect(sandboxArguments({ ...options, isRoot: true }).join(" ")).toContain("--uid 1000 --gid 1000");
  expect(sandboxArguments(options).join(" ")).not.toMatch(/--uid|--unshare-net/);
  for (const network of ["gate", "none"] as const) {
    expect(sandboxArguments({ ...options, sandbox: { ...options.sandbox, network } })).toContain("--unshare-net");
  }
});

test("takes time that grows with the number of sockets, and mounts nothing over those that are hidden", () => {
  const sockets = (count: number): string[] => Array.from({ length: count }, (_, at) => `/run/${at}/keeper.sock`);
  const build = (count: number): string[] =>
    sandboxArguments({
      ...options,
      sockets: sockets(count),
      kindOf: (path) => (path.endsWith(".sock") ? "file" : kindOf(path)),
    });
  expect(build(1000)).toEqual(sandboxArguments(options));
  expect(measureGrowthExponent(build, 5000)).toBeLessThan(1.5);
});
