import { describe, expect, it } from "vitest";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";

/** A line of shell that starts a shim, waits until it listens, runs `lines`, and ends it. */
const withShim = (options: string, ...lines: readonly string[]): string =>
  [
    "set -m", // the function `fairlead` then runs in a process group of its own
    `fairlead shim ${options} > shim.log & shim=$!`,
    `until grep -q listens shim.log; do kill -0 $shim || exit 9; sleep 0.1; done`,
    `url=$(grep -o 'http://[0-9.:]*[0-9]' shim.log)`,
    ...lines,
    `kill -- -$shim; wait $shim`,
  ].join("\n");

/** Prints the status of a request to the shim. */
const statusOf = (words: string): string => `curl -sS -o reply.json -w '%{http_code}\\n' ${words}`;

describe("shim", () => {
  it("prints a new token, and answers only requests with it", async () => {
    await using cli = new TestCli();
    const token = `token=$(sed -n 's/.*Bearer //p' shim.log)`;
    const withToken = statusOf(`-H "authorization: Bearer $token" "$url/health"`);
    const { out } = await cli.shell(
      withShim("--mock --port 0", statusOf('"$url/health"'), token, withToken, "echo $token"),
    );
    const [refused, accepted, printed] = out.trim().split("\n");
    expect({ refused, accepted }).toEqual({ refused: "401", accepted: "200" });
    expect(printed).toMatch(/^[\w-]{43}$/);
  }, 120_000);

  it("takes its token from the environment, and passes it on to no child", async () => {
    const token = "a-token-of-the-operator";
    await using cli = new TestCli({ FAIRLEAD_SHIM_TOKEN: token, FAIRLEAD_DAEMON: "off" });
    const command = "env > environment.txt";
    const script = [{ tools: [{ name: "run", input: { command } }] }];
    const brief = {
      agentId: "a",
      description: "Look around.",
      providerConfig: { fairlead: { script, mode: "full-auto" } },
    };
    const authorized = `-H 'authorization: Bearer ${token}'`;
    const spawn = statusOf(`${authorized} -H 'content-type: application/json' -d @brief.json "$url/spawn"`);
    const done = `until curl -sS ${authorized} "$url/health" | grep -q completed; do sleep 0.2; done`;
    const { out } = await cli.shell(
      [
        // The default policy asks before the variables of the environment are printed.
        `mkdir -m 700 -p "$FAIRLEAD_HOME" && echo "default: false" > "$FAIRLEAD_HOME/policy.yaml"`,
        `cat > brief.json <<'END'\n${JSON.stringify(brief)}\nEND`,
        withShim("--mock --port 0 --allow-modes full-auto", spawn, done, "cat shim.log environment.txt"),
      ].join("\n"),
    );
    expect(out).toMatch(/^200\n/);
    expect(out).toContain("XDG_STATE_HOME=");
    expect(out).not.toContain(token);
  }, 120_000);

  it("rejects a short token, and a socket together with a port", async () => {
    await using cli = new TestCli();
    const short = await cli.run(["shim", "--mock", "--port", "0"], "", { FAIRLEAD_SHIM_TOKEN: "short" });
    expect(short).toMatchObject({ code: 2, err: expect.stringContaining("at least 16") as string });
    const both = await cli.run(["shim", "--mock", "--port", "0", "--socket", "s"]);
    expect(both).toMatchObject({ code: 2, err: expect.stringContaining("--socket excludes") as string });
  });
});
