import { realpathSync } from "node:fs";
import { join } from "node:path";
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
  expect((await cli.run(["token"])).out).toMatch(/WORKSPACES\nbot .* \S+\nall .* all\n$/);
  const unknown = await cli.run(["token", "nothing", "--revoke", "--json"]);
  expect(unknown).toMatchObject({ code: 5, out: "" });
  expect(JSON.parse(unknown.err)).toMatchObject({ error: { code: "not-found", suggestion: "fairlead token" } });
  const missing = await cli.run(["token", "bot", "--scope", "read", "--workspace", join(workspace, "nothing")]);
  expect(missing).toMatchObject({ code: 2, err: expect.stringContaining("There is no folder") as string });
});
