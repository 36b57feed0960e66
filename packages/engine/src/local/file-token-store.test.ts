import { mkdtempDisposableSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tokenStoreConformance } from "../conformance.ts";
import { FileTokenStore } from "./file-token-store.ts";

const files = new WeakMap<object, string>();

tokenStoreConformance(
  "file",
  async () => {
    const folder = mkdtempDisposableSync(join(tmpdir(), "tokens-"));
    const file = join(folder.path, "tokens.json");
    const opened = { tokens: new FileTokenStore(file), [Symbol.asyncDispose]: async () => folder.remove() };
    files.set(opened, file);
    return opened;
  },
  async (first) => ({ tokens: new FileTokenStore(files.get(first)!), [Symbol.asyncDispose]: async () => {} }),
);

test("only the owner of the file can read it, and a damaged file is an error", async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "tokens-"));
  const file = join(folder.path, "tokens.json");
  const store = new FileTokenStore(file);
  await store.remove("nothing");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  writeFileSync(file, '[{"label":"a"}]');
  expect(() => store.list()).toThrow(`${file} cannot be read`);
  await expect(store.remove("a")).rejects.toMatchObject({ code: "corrupt" });
});
