import { expect, test } from "vitest";
import { decide } from "../gate/decide.ts";
import { normalizeRulePath } from "./normalize-rule-path.ts";

const workspace = "/home/me/w";
const normalize = (path: string): string | undefined => normalizeRulePath({ verdict: "deny", path }, workspace).path;

test.each([
  ["api", "api/**"],
  ["api/", "api/**"],
  ["./api", "./api/**"],
  ["docs/a.md", "docs/a.md/**"],
  ["/home/me/w/api", "api/**"],
  ["/home/me/w", "**"],
  ["/home/me/w2/api", "/home/me/w2/api/**"],
  ["docs/*", "docs/*"],
  ["*.md", "*.md"],
  ["docs/**", "docs/**"],
  ["**/secret.txt", "**/secret.txt"],
])("%s becomes %s", (written, path) => expect(normalize(written)).toBe(path));

test.each(["api", "/home/me/w/api"])("a rule about the folder %s is about it and what is below it", (path) => {
  const rules = [normalizeRulePath({ verdict: "deny", path }, workspace)];
  const decideEdit = (edited: string): string =>
    decide([{ source: "policy.yaml", rules }], { kind: "edit", paths: [edited], workspace }).verdict;
  for (const inside of ["api", "api/a.ts", "/home/me/w/api/v1/b.ts"]) expect(decideEdit(inside)).toBe("deny");
  for (const beside of ["apis/a.ts", "src/api/a.ts"]) expect(decideEdit(beside)).not.toBe("deny");
});
