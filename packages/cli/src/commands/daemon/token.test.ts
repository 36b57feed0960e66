import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Home } from "@fairlead/runtime";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";
import { expect, it, vi } from "vitest";

vi.setConfig({ testTimeout: 90_000 });

it("creates tokens for all folders or for some, and lists them without their secrets", async () => {
  await using cli = new TestCli();
  const workspace = realpathSync(cli.workspace);
  const [limited] = await cli.json<object>("token", "bot", "--scope", "read", "drive", "--workspace", ".");
  expect(limited).toEqual({
    label: "bot",
    scopes: ["read", "drive"],
    workspaces: [workspace],
    token: expect.stringMatching(/^fl_/) as string,
  });
  expect((await cli.run(["token", "all", "--scope", "read"])).out).toMatch(/^fl_\S+\n$/);
  const issuedAt = expect.any(String) as string;
  expect(await cli.json("token")).toEqual([
    { label: "bot", scopes: ["read", "drive"], issuedAt, workspaces: [workspace] },
    { label: "all", scopes: ["read"], issuedAt },
  ]);
  expect((await cli.run(["token"])).out).toMatch(/EXPIRES +WORKSPACES\nbot .* never +\S+\nall .* never +all\n$/);
  const unknown = await cli.run(["token", "nothing", "--revoke", "--json"]);
  expect(unknown).toMatchObject({ code: 5, out: "" });
  expect(JSON.parse(unknown.err)).toMatchObject({ error: { code: "not-found", suggestion: "fairlead token" } });
  const missing = await cli.run(["token", "bot", "--scope", "read", "--workspace", join(workspace, "nothing")]);
  expect(missing).toMatchObject({ code: 2, err: expect.stringContaining("There is no folder") as string });
});

it("creates a token that expires, and says when", async () => {
  await using cli = new TestCli();
  const before = Date.now();
  const [created] = await cli.json<{ expiresAt: string }>("token", "guest", "--scope", "read", "--expires", "30d");
  const days = (Date.parse(created?.expiresAt ?? "") - before) / 86_400_000;
  expect(days).toBeGreaterThanOrEqual(30);
  expect(days).toBeLessThan(30.01);
  expect(await cli.json("token")).toMatchObject([{ label: "guest", expiresAt: created?.expiresAt }]);
  expect((await cli.run(["token"])).out).toContain(` ${created?.expiresAt} `);
  const file = new Home(cli.home).tokensFile;
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replace(created?.expiresAt ?? "", new Date(before).toISOString()));
  expect((await cli.run(["token"])).out).toContain(`${new Date(before).toISOString()} (expired)`);
  for (const expires of ["0s", "3651d", "soon", "30"])
    expect((await cli.run(["token", "guest", "--scope", "read", "--expires", expires])).code).toBe(2);
});
