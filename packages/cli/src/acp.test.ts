import { describe, expect, it } from "vitest";
import { CliForTest } from "./cli-for-test.ts";

/** Says each message when the one before was answered, and then hangs up. */
function said(command: string, ...messages: readonly object[]): string {
  const exchange = messages.map(
    (message) => `echo '${JSON.stringify(message)}' >&\${face[1]}; read -r line <&\${face[0]}; echo "$line"`,
  );
  // Bash takes the names away when the process ends, which it does once its input is closed.
  const hangUp = ['pid=$face_PID; exec {rest}<&${face[0]}; eval "exec ${face[1]}>&-"', "cat <&$rest; wait $pid"];
  return [`coproc face { ${command}; }`, ...exchange, ...hangUp].join("\n");
}

const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };

describe("acp", () => {
  it("has nothing but the protocol on its standard output, and pauses its session when its input ends", async () => {
    await using cli = new CliForTest();
    const mcpServers = [{ name: "clock", command: "clock", args: [], env: [] }];
    const open = { jsonrpc: "2.0", id: 2, method: "session/new", params: { cwd: cli.workspace, mcpServers } };
    const { code, out, err } = await cli.shell(said("fairlead acp --agent scripted", initialize, open));
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("left out: clock") as string });
    const [greeting, opened] = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { result: { sessionId?: string } });
    expect(greeting).toMatchObject({ id: 1, result: { agentInfo: { name: "fairlead" } } });
    const sessions = await cli.json<{ session: string; state: string }>("ls");
    expect(sessions).toMatchObject([{ session: opened?.result.sessionId, state: "paused" }]);
  });

  it("says which agents there are when it is asked for one that nobody knows", async () => {
    await using cli = new CliForTest();
    const { out } = await cli.shell(said("fairlead acp --agent nobody", initialize));
    expect(JSON.parse(out)).toMatchObject({ error: { message: expect.stringContaining("scripted") as string } });
  });
});
