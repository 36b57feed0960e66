import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test } from "vitest";

const mcpServers = [{ name: "notes", command: "node", args: ["notes.js"] }];

test("servers for an agent that cannot use them, or by a caller who may not approve, are refused", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.openWith({});
  const start = { agent: "shell", workspace: testHome.folder, mcpServers };
  await expect(fairlead.start(start)).rejects.toMatchObject({
    code: "not-supported",
    message: expect.stringMatching(/cannot be given MCP servers: it lacks the capability mcp-servers\.$/) as string,
  });
  await expect(fairlead.start({ ...start, agent: "scripted", approvalsRequired: true })).rejects.toMatchObject({
    code: "not-allowed",
  });
  const invalid = { ...start, mcpServers: [{ name: "my_notes", command: "x" }] };
  await expect(fairlead.start(invalid)).rejects.toMatchObject({ code: "invalid-request" });
});

test("the servers of a workspace that is not trusted are refused, with their commands", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.openWith({});
  writeFileSync(
    join(testHome.folder, "fairlead.yaml"),
    "mcp: { notes: { command: node, args: [x.js], env: { T: abc } } }",
  );
  const refused = await fairlead
    .start({ agent: "scripted", workspace: testHome.folder })
    .catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: "not-allowed",
    message: expect.stringContaining('mcp.notes: "node x.js"') as string,
  });
  expect(String(refused)).not.toContain("abc");
});
