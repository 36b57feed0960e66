import { FairleadError, type McpServer } from "@fairlead/contract";
import { expect, test } from "vitest";
import { readEditorServers, startWithServers } from "./editor-servers.ts";

const program = (name: string) => ({ name, command: "node", args: ["a.js"], env: [{ name: "TOKEN", value: "t" }] });

test("an editor's servers get names that every agent accepts", () => {
  const remote = { type: "http" as const, name: "remote", url: "http://localhost/", headers: [] };
  const { servers, ignored } = readEditorServers([
    program("My Notes (beta)"),
    program("clock_2"),
    remote,
    program("my_notes-BETA"),
    program("日本"),
    program("fairlead_tools"),
  ]);
  expect(servers).toEqual([
    { name: "my-notes-beta", command: "node", args: ["a.js"], env: { TOKEN: "t" } },
    { name: "clock-2", command: "node", args: ["a.js"], env: { TOKEN: "t" } },
  ]);
  expect(ignored).toEqual(["remote", "my_notes-BETA", "日本", "fairlead_tools"]);
});

async function start(failure: Error | null) {
  const starts: string[][] = [];
  const lines: string[] = [];
  const begin = async (servers: readonly McpServer[]): Promise<string> => {
    starts.push(servers.map(({ name }) => name));
    if (servers.length > 0 && failure !== null) throw failure;
    return "started";
  };
  const log = (line: string): void => void lines.push(line);
  const [outcome] = await Promise.allSettled([startWithServers([program("clock")], begin, log)]);
  const result: unknown = outcome.status === "fulfilled" ? outcome.value : outcome.reason;
  return { result, starts, lines };
}

test.each(["not-supported", "not-allowed"] as const)(
  "a session whose agent cannot be given them starts without: %s",
  async (code) => {
    expect(await start(new FairleadError(code, "It cannot."))).toEqual({
      result: "started",
      starts: [["clock"], []],
      lines: ["MCP servers from the editor are ignored: clock. It cannot."],
    });
  },
);

test("a session gets them, and another failure is passed on", async () => {
  expect(await start(null)).toEqual({ result: "started", starts: [["clock"]], lines: [] });
  const error = new FairleadError("not-installed", "It is missing.");
  expect(await start(error)).toMatchObject({ result: error, starts: [["clock"]] });
});
