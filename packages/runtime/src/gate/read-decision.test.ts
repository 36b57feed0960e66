import type { EventOf, Manifest, Opening, ToolAction } from "@fairlead/contract";
import { expect, test } from "vitest";
import { defaultPolicy } from "./default-policy.ts";
import { createRequestReader } from "./read-decision.ts";

const manifest = { workspaceFiles: ["RULES.md"] } as unknown as Manifest;
const policy = { policies: [defaultPolicy], unattended: "wait" } as const;
const opening = { workspace: "/repo", policy } as unknown as Opening;
const read = createRequestReader(manifest, "/home/me");
const base = { type: "decision.requested", decision: "d", kind: "approval", title: "t", tool: "Tool" } as const;

const verdictOf = (request: Partial<EventOf<"decision.requested">>): string | undefined =>
  read({ ...base, ...request }, opening, []).reading?.verdict;
const verdictOfAction = (action: ToolAction): string | undefined => verdictOf({ action });

test("a call is judged by what its adapter says that it does", () => {
  expect(verdictOfAction({ kind: "run", command: "npm test" })).toBe("allow");
  expect(verdictOfAction({ kind: "run", command: "git push" })).toBe("ask");
  expect(verdictOfAction({ kind: "run", command: "make", folder: "/repo/sub" })).toBe("allow");
  expect(verdictOfAction({ kind: "run", command: "make", folder: "/elsewhere" })).toBe("ask");
  expect(verdictOfAction({ kind: "edit", paths: ["src/a.ts"] })).toBe("allow");
  expect(verdictOfAction({ kind: "edit", paths: ["RULES.md"] })).toBe("ask");
  expect(verdictOfAction({ kind: "read", paths: ["/repo/.env"] })).toBe("ask");
  expect(verdictOfAction({ kind: "search" })).toBe("allow");
  expect(verdictOfAction({ kind: "fetch", hosts: ["example.com"] })).toBe("ask");
});

test("what an adapter does not know is asked about", () => {
  for (const action of [
    { kind: "run", command: "npm test", incomplete: true },
    { kind: "run" },
    { kind: "edit" },
    { kind: "edit", paths: [] },
    { kind: "read" },
    { kind: "fetch" },
  ] satisfies ToolAction[])
    expect(verdictOfAction(action), JSON.stringify(action)).toBe("ask");
  expect(verdictOf({})).toBe("ask");
  expect(verdictOfAction({ kind: "other", incomplete: true })).toBe("ask");
  expect(verdictOfAction({ kind: "other" })).toBe("allow"); // control: the adapter knows that it does nothing else
});

test("a connection is judged by its host", () => {
  const request = { ...base, kind: "network", input: { host: "example.com", port: 443, calls: [] } } as const;
  expect(read(request, opening, []).category).toBe("network");
  const deny = { source: "x", rules: [{ verdict: "deny" as const, host: "example.com" }] };
  const denying = { ...opening, policy: { ...policy, policies: [deny] } } as Opening;
  expect(read(request, denying, []).reading).toMatchObject({ verdict: "deny", rule: { source: "x", number: 1 } });
});

test("a reading shows the commands as they were read, and is short however long the text is", () => {
  const command = `nohup git "pu"sh 'a b'`;
  const { reading, category } = read({ ...base, action: { kind: "run", command } }, opening, []);
  expect(category).toBe("merge");
  expect(reading?.commands).toContain('nohup git push "a b"');
  const long = read({ ...base, action: { kind: "run", command: `echo ${"x".repeat(900)}; `.repeat(90) } }, opening, []);
  expect(long.reading?.omittedCommands).toBe(60);
  expect(JSON.stringify(long).length).toBeLessThan(10_000);
});

test("a reading names all that was found, each once", () => {
  const readingOf = (command: string) => read({ ...base, action: { kind: "run", command } }, opening, []).reading;
  expect(readingOf("git push; cat .env; cat .env; docker compose up; $x")?.alsoFound).toEqual([
    "merge: `git push` updates a shared ref",
    "secrets: `cat .env` reads .env, which may contain secrets",
    "unvetted: `docker compose up` is not a vetted subcommand",
  ]);
  expect(readingOf("git push && curl https://example.com")).toMatchObject({
    reason: "`git push` updates a shared ref; rule 1 of the default policy.",
    alsoFound: [expect.stringMatching(/^network: `curl /)],
  });
  expect(readingOf("git push")?.alsoFound).toBeUndefined();
  expect(readingOf("npm test")?.alsoFound).toBeUndefined();
  const many = readingOf(Array.from({ length: 100 }, (_, at) => `cat ${at}/.env`).join("; "));
  expect(many?.alsoFound).toHaveLength(10);
  expect(many?.alsoFound?.at(-1)).toBe("and 90 more");
});

test("a grant says whether other arguments may follow", () => {
  const grantsOf = (command: string) =>
    read({ ...base, action: { kind: "run", command } }, opening, []).reading?.grants;
  expect(grantsOf("frob test --fast")).toEqual([{ command: "frob test", categories: ["unvetted"] }]);
  expect(grantsOf("git push origin main")).toEqual([
    { command: "git push origin main", categories: ["merge", "unvetted"], isExact: true },
  ]);
});

test("what a person allowed in the session answers a question", () => {
  const request = { ...base, action: { kind: "run", command: "frob test --fast" } } as const;
  const { reading } = read(request, opening, []);
  expect(reading).toMatchObject({ verdict: "ask", grants: [{ command: "frob test", categories: ["unvetted"] }] });
  expect(read(request, opening, reading?.grants ?? []).reading).toMatchObject({
    verdict: "allow",
    rule: { source: "your answers in this session", number: 1, grant: true },
  });
});
