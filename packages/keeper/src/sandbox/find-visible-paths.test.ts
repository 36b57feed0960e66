import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findVisiblePaths, type VisiblePaths } from "./find-visible-paths.ts";
import { noSandbox } from "./no-sandbox.ts";

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "visible-")));
  for (const folder of ["home", "work"]) mkdirSync(join(root, folder));
});
afterEach(() => rmSync(root, { recursive: true }));

const at = (path: string): string => join(root, path);

function createFile(path: string): string {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), "", { mode: 0o755 });
  return at(path);
}

function createLink(path: string, target: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  symlinkSync(target, at(path));
}

interface Launch {
  readonly path?: readonly string[];
  readonly program?: string;
  readonly hides?: readonly string[];
  readonly writes?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

function find({ path = [], program, hides = [], writes = [], env = {} }: Launch = {}): VisiblePaths {
  const sandbox = { ...noSandbox, hides: hides.map(at), writes: writes.map(at) };
  const variables = { HOME: at("home"), PATH: path.map(at).join(":"), ...env };
  const command = { program: "p", args: [], env: {}, cwd: at("work"), stdin: "none" } as const;
  const spec = { command, env: variables, envMarkers: [], sandbox, terminal: null };
  const { paths, links } = findVisiblePaths(spec, program === undefined ? null : at(program));
  return { paths: paths.filter((one) => one.startsWith(`${root}/`)).map((one) => one.slice(root.length + 1)), links };
}

test("shows the system, and of the home only tools and git's settings", () => {
  for (const file of [".nvm/x", ".gitconfig", ".bashrc", ".ssh/id", ".cargo/bin/x", ".cargo/config.toml", "notes"]) {
    createFile(`home/${file}`);
  }
  expect(find().paths).toEqual(["home/.nvm", "home/.cargo/bin", "home/.gitconfig"]);
  const command = { program: "p", args: [], env: {}, cwd: "/usr", stdin: "none" } as const;
  const { paths } = findVisiblePaths({ command, env: {}, envMarkers: [], sandbox: noSandbox, terminal: null }, null);
  expect(paths).toContain("/etc");
  expect(paths).not.toContain("/");
  expect(paths).not.toContain("/var");
});

test("shows the installation of a program on the PATH, unless it is the home or too general", () => {
  for (const folder of ["sdk", "home", "home/projects", "home/tools/jdk", "work"]) {
    for (const file of ["bin/x", "lib/x"]) createFile(`${folder}/${file}`);
  }
  expect(find({ path: ["sdk/bin"] }).paths).toEqual(["sdk/bin", "sdk"]);
  expect(find({ path: ["home/bin", "home/projects/bin"] }).paths).toEqual(["home/bin", "home/projects/bin"]);
  expect(find({ path: ["home/tools/jdk/bin"] }).paths).toEqual(["home/tools/jdk/bin", "home/tools/jdk"]);
  expect(find({ path: ["work/bin", "absent/bin", ""] }).paths).toEqual([]);
});

test("shows only the programs of a project, not the project", () => {
  for (const file of ["bin/x", "secret"]) createFile(`home/code/small/${file}`);
  for (const file of ["bin/x", "lib/x", ".env"]) createFile(`home/code/large/${file}`);
  const path = ["home/code/small/bin", "home/code/large/bin"];
  expect(find({ path }).paths).toEqual(path);
});

test("shows no private file and no folder that a link in a folder of programs leads to", () => {
  createFile("other/notes");
  chmodSync(at("other/notes"), 0o600);
  createLink("scripts/one", "../other");
  createLink("scripts/two", "../other/notes");
  expect(find({ path: ["scripts"] }).paths).toEqual(["scripts"]);
});

test("shows only the programs of a tool that keeps its credentials beside them", () => {
  for (const file of ["home/.fly/bin/fly", "home/.fly/config.yml", "home/.x/y/bin/z", "sdk/bin/x", "sdk/secret"])
    createFile(file);
  expect(find({ path: ["home/.fly/bin", "home/.x/y/bin"] }).paths).toEqual(["home/.fly/bin", "home/.x/y/bin"]);
  expect(find({ path: ["sdk/bin"], hides: ["sdk/secret"] }).paths).toEqual(["sdk/bin"]);
});

test("shows what the links in a folder of programs lead to, and nothing hidden", () => {
  createFile("home/share/tool/versions/1");
  createFile("home/lib/node_modules/a/cli.js");
  createFile("home/.ssh/id");
  createLink("home/bin/tool", "../share/tool/versions/1");
  createLink("home/bin/a", at("home/lib/node_modules/a/cli.js"));
  createLink("home/bin/key", "../.ssh/id");
  createLink("home/bin/gone", "../absent");
  expect(find({ path: ["home/bin"], hides: ["home/.ssh"] }).paths.toSorted()).toEqual([
    "home/bin",
    "home/lib/node_modules",
    "home/share/tool/versions/1",
  ]);
});

test("shows a limited number of link targets", () => {
  for (let number = 0; number < 150; number++) {
    createFile(`home/all/${number}/x`);
    createLink(`home/bin/${number}`, `../all/${number}/x`);
  }
  expect(find({ path: ["home/bin"] }).paths).toHaveLength(101);
});

test("shows the packages of the agent's program, and not the home that they may be in", () => {
  createFile("app/node_modules/a/cli.js");
  createLink("bin/agent", "../app/node_modules/a/cli.js");
  expect(find({ program: "bin/agent" }).paths).toEqual(["bin", "app"]);
  createFile("home/node_modules/a/cli.js");
  expect(find({ program: "home/node_modules/a/cli.js" }).paths).toEqual(["home/node_modules"]);
  createFile("home/agent");
  expect(find({ program: "home/agent" }).paths).toEqual(["home/agent"]);
});

test("returns the links on the way to what it shows", () => {
  for (const file of ["bin/x", "lib/x"]) createFile(`store/2/${file}`);
  createLink("current", "store/1");
  createLink("store/1", "2");
  expect(find({ path: ["current/bin"] })).toEqual({
    paths: ["store/2/bin", "store/2"],
    links: expect.toSatisfy(
      (links: ReadonlyMap<string, string>) =>
        links.get(at("current")) === "store/1" && links.get(at("store/1")) === "2",
    ),
  });
  createFile("data/agent/x");
  createLink("home/.agent", at("data/agent"));
  expect(find({ writes: ["home/.agent"] }).links.get(at("home/.agent"))).toBe(at("data/agent"));
});

test("leaves what the agent can write as it is", () => {
  createFile("work/node_modules/a/cli.js");
  expect(find({ program: "work/node_modules/a/cli.js", path: ["work/node_modules/.bin"] }).paths).toEqual([]);
});

test("shows the certificates that variables name", () => {
  createFile("home/company.pem");
  expect(find({ env: { NODE_EXTRA_CA_CERTS: at("home/company.pem"), SSL_CERT_DIR: "/" } }).paths).toEqual([
    "home/company.pem",
  ]);
});

test("follows no link that the agent can change", () => {
  createFile("home/.ssh/id");
  createFile("home/private/bin/x");
  createLink("home/.gitconfig", at("work/gitconfig"));
  createLink("home/bin/tool", at("work/tool"));
  createLink("home/tools", at("work/tools"));
  createFile("work/gitconfig");
  createFile("work/tool");
  createFile("work/tools/x");
  const launch: Launch = {
    path: ["home/bin", "home/tools"],
    program: "home/bin/tool",
    env: { SSL_CERT_FILE: at("work/ca") },
  };
  const before = find(launch).paths;
  for (const name of ["gitconfig", "tool", "tools"]) rmSync(at(`work/${name}`), { recursive: true });
  createLink("work/gitconfig", at("home/.ssh/id"));
  createLink("work/tool", at("home/private/bin/x"));
  createLink("work/tools", at("home/private"));
  createLink("work/ca", at("home/.ssh"));
  expect(find(launch).paths).toEqual(before);
});
