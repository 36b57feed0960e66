import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../scripts/run.ts";

/**
 * Files that may read with Node's functions, and why no agent can lay what they read. Everything else must use
 * `readPlainFile` or `PlainFile`: a pipe in place of a file would block the daemon and all its sessions.
 */
const exceptions: Readonly<Record<string, string>> = {
  "packages/runtime/src/host/read-plain-file.ts": "is the bounded read",
  "packages/runtime/src/actor/snapshot.ts": "reads a file of the data directory",
  "packages/runtime/src/files/kept-index.ts": "reads a file of the data directory",
  "packages/runtime/src/files/turn-trees.ts": "reads a file of the data directory",
  "packages/runtime/src/review/repository-inspector.ts":
    "copies an index of the data directory, or of the person after a check that it is a file",
  "packages/runtime/src/host/open-folder.ts": "opens folders, and no links, to read their files through them",
  "packages/runtime/src/memory/stage-file.ts": "creates a file, and opens none that exists",
  "packages/runtime/src/host/home-watch.ts": "opens the data directory for its status and reads nothing",
  "packages/runtime/src/host/probe-cache.ts": "reads a file of the data directory",
  "packages/runtime/src/sessions/end-marker.ts": "reads a file of the data directory",
  "packages/runtime/src/masks/mask-key.ts": "reads a file of the data directory",
  "packages/service/src/idempotency-store.ts": "creates a file of the data directory",
  "packages/service/src/reading/outline-files.ts": "reads a file of the data directory",
  "packages/engine/src/local/file-token-store.ts": "reads a file of the data directory",
  "packages/engine/src/local/folder-object-store.ts": "opens files and the folder of the data directory, and no links",
  "packages/engine/src/local/object-file.ts": "reads a file of the data directory, and no link",
  "packages/daemon/src/daemon-info.ts": "reads a file of the data directory, and the package's own manifest",
  "packages/daemon/src/fleet/read-host-id.ts": "reads a file of the data directory",
  "packages/daemon/src/start-daemon.ts": "opens the daemon's log",
  "packages/daemon/src/trusted-files.ts": "reads a file of the data directory",
  "packages/cli/src/arguments/read-brief.ts": "reads a file that the person names, which may be a pipe",
  "packages/cli/src/commands/foreman/read-plan-file.ts": "the file of a plan, which the user names on the command line",
  "packages/cli/src/commands/fleet/read-fleet-file.ts": "the file of a fleet, which the user names on the command line",
  "packages/cli/src/commands/fleet/plan/show-fleet-plan.ts":
    "the file of measured costs, which the user names on the command line",
  "packages/cli/src/arguments/read-requested-policy.ts": "reads a file that the person names, which may be a pipe",
  "packages/cli/src/arguments/parse-settings.ts": "reads a file that the person names, which may be a pipe",
  "packages/cli/src/remote/read-remote-address.ts": "the files of a token and of authorities, which the person names",
  "packages/server/src/http/tls/certificate-files.ts": "the files of a certificate, which the operator names",
  "packages/server/src/http/page/page-files.ts": "reads the built page of the program at the start, and no links",
  "packages/cli/src/interactive/keyboard-answerer.ts": "reads what the person typed in an editor",
};

const readers =
  /^(readFile|readFileSync|createReadStream|open|openSync|openAsBlob|readSync|readv|readvSync|cp|cpSync|copyFile|copyFileSync)$/;

/** Lists the reading functions that a source imports from Node, and imports of whole modules, which could hide one. */
function findReaders(source: string): string[] {
  const imports = source.matchAll(/^import\s+([^;]*?)\s+from\s+"(?:node:)?fs(?:\/promises)?"/gm);
  return [...imports].flatMap(([, clause = ""]) => {
    const names = /^\{([^}]*)\}$/s.exec(clause)?.[1];
    if (names === undefined) return clause.startsWith("type ") ? [] : [clause];
    return names
      .split(",")
      .map((name) => name.trim().split(" as ")[0] ?? "")
      .filter((name) => readers.test(name));
  });
}

const files = globSync("packages/{engine,runtime,service,server,cli,daemon,adapters}/src/**/*.ts", {
  cwd: root,
}).filter((file) => !file.endsWith(".test.ts"));

test("only listed files read with Node's functions", () => {
  const found = files.filter((file) => findReaders(readFileSync(join(root, file), "utf8")).length > 0);
  expect(found.toSorted()).toEqual(Object.keys(exceptions).toSorted());
});

test("no file loads node:fs in a way that hides which functions it uses", () => {
  const hidden = files.filter((file) =>
    /(?:require|import)\(\s*"(?:node:)?fs|getBuiltinModule/.test(readFileSync(join(root, file), "utf8")),
  );
  expect(hidden).toEqual([]);
});

test("the search finds every form of import", () => {
  expect(findReaders('import { closeSync, openSync as o } from "node:fs";')).toEqual(["openSync"]);
  expect(findReaders('import {\n  rm,\n  readFile,\n} from "node:fs/promises";')).toEqual(["readFile"]);
  expect(findReaders('import * as fs from "fs";')).toEqual(["* as fs"]);
  expect(findReaders('import fs from "node:fs";')).toEqual(["fs"]);
  expect(findReaders('import type { Stats } from "node:fs";\nimport { rmSync } from "node:fs";')).toEqual([]);
});
