import { describe, expect, it } from "vitest";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";

/** Builds a script that sends each message after the answer to the one before, and then closes the input. */
function buildExchangeScript(command: string, ...messages: readonly object[]): string {
  const exchange = messages.map(
    (message) => `echo '${JSON.stringify(message)}' >&\${face[1]}; read -r line <&\${face[0]}; echo "$line"`,
  );
  // Bash unsets the coprocess's variables when it exits, which it does once its input is closed.
  const closeInput = ['pid=$face_PID; exec {rest}<&${face[0]}; eval "exec ${face[1]}>&-"', "cat <&$rest; wait $pid"];
  return [`coproc face { ${command}; }`, ...exchange, ...closeInput].join("\n");
}

const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };

describe("acp", () => {
  it("writes only the protocol to standard output, and pauses its session when the input ends", async () => {
    await using cli = new TestCli();
    const mcpServers = [{ name: "clock", command: "clock", args: [], env: [] }];
    const open = { jsonrpc: "2.0", id: 2, method: "session/new", params: { cwd: cli.workspace, mcpServers } };
    const { code, out, err } = await cli.shell(buildExchangeScript("fairlead acp --agent scripted", initialize, open));
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("ignored: clock") as string });
    const [greeting, opened] = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { result: { sessionId?: string } });
    expect(greeting).toMatchObject({ id: 1, result: { agentInfo: { name: "fairlead" } } });
    const sessions = await cli.json<{ session: string; state: string }>("ls");
    expect(sessions).toMatchObject([{ session: opened?.result.sessionId, state: "paused" }]);
  });

  it("lists the agents if the requested one is unknown", async () => {
    await using cli = new TestCli();
    const { out } = await cli.shell(buildExchangeScript("fairlead acp --agent unknown", initialize));
    expect(JSON.parse(out)).toMatchObject({ error: { message: expect.stringContaining("scripted") as string } });
  });
});
