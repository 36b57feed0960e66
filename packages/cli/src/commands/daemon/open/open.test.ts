import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SignedInView } from "@fairlead/api";
import { exchangeCode } from "@fairlead/client";
import { FairleadError } from "@fairlead/contract";
import { TestCli } from "@fairlead/testing/cli/test-cli.ts";
import { expect, it, vi } from "vitest";

vi.setConfig({ testTimeout: 120_000 });

interface Opened {
  readonly url: string;
  readonly expiresAt: string;
}

function signInAt(base: string, url: string): Promise<SignedInView> {
  return exchangeCode(base, new URL(url).hash.replace("#code=", ""));
}

it("restarts a daemon without a port, keeps its session, and opens the session with a code that works once", async () => {
  await using cli = new TestCli();
  expect((await cli.run(["run", "scripted", "-n", "shown", `SCRIPT:[{"text":"Done."}]`])).code).toBe(0);
  const [session] = await cli.json<{ session: string; state: string }>("ls");
  const { code, out, err } = await cli.run(["open", "shown", "--print"]);
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("Sessions kept running.") as string });
  const [address = ""] = out.split("\n");
  const { origin, pathname, search, hash } = new URL(address);
  expect({ pathname, search, hash }).toEqual({
    pathname: `/s/${session!.session}`,
    search: "",
    hash: expect.stringMatching(/^#code=flc_[\w-]{32}$/) as string,
  });
  expect((await cli.json<{ state: string }>("ls"))[0]?.state).toBe(session!.state);

  const { grant, persistent } = await signInAt(origin, address);
  expect({ persistent, grant }).toMatchObject({
    persistent: false,
    grant: { label: "browser", scopes: ["read", "drive", "approve", "admin"] },
  });
  const hours = (Date.parse(grant.expiresAt ?? "") - Date.now()) / 3_600_000;
  expect(Math.round(hours)).toBe(12);
  await expect(signInAt(origin, address)).rejects.toSatisfy((error) => FairleadError.is(error, "not-allowed"));
  expect(readFileSync(join(cli.home, "daemon.log"), "utf8")).toContain("one-time code was used again");

  // The second time, nothing is restarted, and the address of the page is the same.
  const again = await cli.run(["open", "--print"]);
  expect(again.err).toBe("");
  expect(new URL(again.out.split("\n", 1)[0] ?? "").origin).toBe(origin);

  // A restart voids the codes and keeps the tokens, the port and nothing else.
  const [unused] = await cli.json<Opened>("open");
  expect((await cli.run(["down"])).code).toBe(0);
  expect((await cli.run(["up", "--listen", new URL(origin).host])).code).toBe(0);
  await expect(signInAt(origin, unused!.url)).rejects.toMatchObject({
    message: expect.stringContaining("before a restart") as string,
  });
});

it("starts the browser with the address, and prints it where there is no browser", async () => {
  await using cli = new TestCli();
  const bin = join(cli.workspace, "bin");
  const record = join(cli.workspace, "opened");
  mkdirSync(bin);
  writeFileSync(join(bin, "xdg-open"), `#!/bin/sh\nprintf '%s' "$1" > ${record}\n`);
  chmodSync(join(bin, "xdg-open"), 0o755);
  const PATH = `${bin}:${process.env["PATH"]}`;
  const opened = await cli.run(["open"], "", { PATH, DISPLAY: ":7" });
  expect(opened.out).toMatch(/^Opened http:\/\/127\.0\.0\.1:\d+\/ in the browser\.\n$/);
  expect(readFileSync(record, "utf8")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=flc_/);
  for (const variables of [{ PATH }, { PATH, DISPLAY: ":7", SSH_CONNECTION: "a 1 b 22" }]) {
    const printed = await cli.run(["open"], "", variables);
    expect(printed.out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=flc_/);
  }
  writeFileSync(join(bin, "xdg-open"), "#!/bin/sh\nexit 3\n");
  expect((await cli.run(["open"], "", { PATH, DISPLAY: ":7" })).out).toContain("#code=flc_");
});

it("refuses a phone without an origin that it reaches, and gives it read and approve for 30 days with one", async () => {
  await using cli = new TestCli();
  expect((await cli.run(["up", "--listen", "127.0.0.1:0", "--origin", "http://localhost:8080"])).code).toBe(0);
  const refused = await cli.run(["open", "--phone"]);
  expect({ code: refused.code, out: refused.out, err: refused.err }).toEqual({
    code: 2,
    out: "",
    err: expect.stringContaining("--origin https://agents.example") as string,
  });
  expect((await cli.run(["down"])).code).toBe(0);
  expect((await cli.run(["up", "--listen", "127.0.0.1:0", "--origin", "https://agents.example"])).code).toBe(0);
  const [status] = await cli.json<{ daemon: { url: string } }>("status");
  const { out } = await cli.run(["open", "--phone"]);
  expect(out).toContain("▀");
  const address = /^https:\/\/agents\.example\/#code=flc_\S+$/m.exec(out)?.[0] ?? "";
  const { grant, persistent } = await signInAt(status!.daemon.url, address);
  expect({ grant, persistent }).toMatchObject({
    persistent: true,
    grant: { label: "phone", scopes: ["read", "approve"] },
  });
  expect(Math.round((Date.parse(grant.expiresAt ?? "") - Date.now()) / 86_400_000)).toBe(30);
});

it.each([
  [["up", "--origin", "https://agents.example"], "--listen is missing"],
  [["up", "--listen", "127.0.0.1:0", "--origin", "http://agents.example"], "without TLS"],
  [["up", "--listen", "127.0.0.1:0", "--origin", "https://agents.example/"], "browsers write it as"],
])("%s is refused", async (words, text) => {
  await using cli = new TestCli();
  const { code, err } = await cli.run(words);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(text) as string });
});
