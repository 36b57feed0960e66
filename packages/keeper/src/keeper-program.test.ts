import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

/** Prints the modules that the keeper's program loads from other packages. */
const printModules = `
  import { registerHooks } from "node:module";
  const urls = [];
  registerHooks({ load: (url, context, next) => (urls.push(url), next(url, context)) });
  await import(${JSON.stringify(new URL("keeper.ts", import.meta.url))});
  await import(${JSON.stringify(new URL("protocol/keeper-server.ts", import.meta.url))});
  console.log(JSON.stringify(urls.filter((url) => url.startsWith("file:") && !url.includes("/keeper/src/"))));
`;

// One keeper runs per session: a library that it loads is in memory once per session.
test("a keeper loads no library", () => {
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", printModules], { encoding: "utf8" });
  const modules = (JSON.parse(output) as string[]).map((url) => /[^/]+\/[^/]+\/[^/]+$/.exec(url)?.[0]);
  expect(modules).toEqual(["contract/src/start-timer.ts"]);
});
