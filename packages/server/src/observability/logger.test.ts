import { FairleadError } from "@fairlead/contract";
import { FileTokenStore } from "@fairlead/engine";
import { withScript } from "@fairlead/kit";
import { describe, expect, test } from "vitest";
import { serveHttp } from "../http/serve-http.ts";
import { AccessTokens } from "../http/access/access-tokens.ts";
import { collectEventsUntil, ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { findSecrets } from "@fairlead/testing/server/find-secrets.ts";
import { Logger } from "./logger.ts";
import { openObservability } from "./open-observability.ts";

const prompt = "prompt secret: xK9/+ é";
const agentText = "agent text secret, 7Qm2";
const input = "input-secret-Zt41";
const output = "output-secret-Wp83";
const secrets = [prompt, agentText, input, output];

/** Runs a session with secret content over HTTP with a token, and returns its whole log. */
async function runLoggedSession(environment: NodeJS.ProcessEnv): Promise<{ log: string; token: string }> {
  await using testHome = new ServiceTestHome();
  let log = "";
  const write = (line: string): void => void (log += line);
  await using observability = await openObservability({
    environment: { FAIRLEAD_LOG: "trace", ...environment },
    version: "0",
    write,
  });
  const fairlead = await testHome.open(observability.observer);
  const tokens = new AccessTokens(new FileTokenStore(`${testHome.folder}/tokens.json`));
  const token = await tokens.issue({ label: "driver", scopes: ["read", "drive", "approve"] });
  const onError = (error: unknown): void => observability.log.error("request failed", error);
  await using service = await serveHttp({ fairlead, tokens, port: 0, httpObserver: observability.http, onError });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const post = (path: string, body: string): Promise<Response> =>
    fetch(`${service.url}${path}`, { method: "POST", headers, body });

  const script = [
    {
      text: agentText,
      tools: [{ name: "run", input: { command: `echo ${input}; printf output-; printf secret-Wp83` } }],
    },
    { error: { status: 500 } },
  ];
  const startRequest = { workspace: testHome.folder, mode: "full-auto", prompt: withScript(prompt, script) };
  const response = await post("/v1/sessions", JSON.stringify(startRequest));
  const view = (await response.json()) as { session: string };
  expect(response.status, JSON.stringify(view)).toBe(200);
  await collectEventsUntil(fairlead, view.session, "turn.ended");
  expect((await post(`/v1/sessions/${view.session}/messages`, `{"text": ${prompt}`)).status).toBe(400);
  expect((await fetch(`${service.url}/v1/sessions?token=${token}`, { headers })).status).toBeLessThan(500);
  await fairlead.stop(view.session);
  return { log, token };
}

describe("the log of a session with secret content", () => {
  test("contains no secret, but every event", async () => {
    const { log, token } = await runLoggedSession({});
    expect(findSecrets(log, [...secrets, token, token.slice(3)])).toEqual([]);
    const types = log.split("\n").flatMap((line) => /"type":"([a-z.]+)"/.exec(line)?.[1] ?? []);
    for (const type of ["session.started", "tool.ended", "error.raised", "turn.ended", "session.ended"]) {
      expect(types).toContain(type);
    }
    expect(log).toContain('"outcome":"failed"');
  });

  test("control: with FAIRLEAD_LOG_CONTENT it contains the content, but not the token", async () => {
    const { log, token } = await runLoggedSession({ FAIRLEAD_LOG_CONTENT: "1" });
    expect(findSecrets(log, [...secrets, token])).toEqual(secrets);
  });
});

describe("a logger", () => {
  const captureLog = (action: (log: Logger) => void, options: object = {}): string => {
    let captured = "";
    action(new Logger({ level: "trace", write: (line) => void (captured += line), ...options }));
    return captured;
  };
  const token = `fl_${"aB3-".repeat(11)}`;
  const unsafeFields = {
    session: "s",
    prompt,
    headers: { authorization: `Bearer ${token}`, cookie: input },
    tool: { output },
  };

  test("drops unknown fields, however they are passed", () => {
    const logged = captureLog((log) => log.info("message", unsafeFields));
    expect(JSON.parse(logged)).toMatchObject({ level: "info", session: "s", msg: "message" });
    const passedSecrets = [prompt, input, output, token];
    expect(findSecrets(logged, passedSecrets)).toEqual([]);
    expect(findSecrets(JSON.stringify(unsafeFields), passedSecrets)).toEqual(passedSecrets); // control
  });

  test("redacts values that look like credentials, also in content", () => {
    const content = { authorization: `Bearer ${token}`, text: `use ${token}, or Basic dXNlcjpwYXNz` };
    const logged = captureLog((log) => log.info("message", { content }), { content: true });
    expect(logged).toContain('"text":"use (redacted), or (redacted)"');
    expect(findSecrets(logged, [token, "dXNlcjpwYXNz"])).toEqual([]);
  });

  test("logs the message of Fairlead's errors and system errors, and only the stack of other errors", async () => {
    const ownError = new FairleadError("corrupt", "The file is damaged.");
    expect(captureLog((log) => log.error("failed", ownError))).toContain("The file is damaged.");
    const systemError = await import("node:fs/promises").then((fs) =>
      fs.readFile("/nowhere/at/all").catch((error) => error),
    );
    expect(captureLog((log) => log.error("failed", systemError))).toContain("/nowhere/at/all");

    const parseError = ((): unknown => {
      try {
        return JSON.parse(input);
      } catch (error) {
        return error;
      }
    })() as Error;
    expect(findSecrets(parseError.message, ["input-sec"])).toEqual(["input-sec"]); // control
    const wrappedError = new FairleadError("unavailable", parseError.message, { cause: parseError });
    const sentence = `The file cannot be read: ${parseError.message}.`;
    const quotingError = new FairleadError("unavailable", sentence, { cause: parseError });
    const { err } = JSON.parse(captureLog((log) => log.error("failed", quotingError))) as { err: object };
    expect(err).toMatchObject({
      type: "FairleadError",
      code: "unavailable",
      message: "The file cannot be read: (redacted).",
      cause: { type: "SyntaxError", message: "(redacted)" },
    });
    const twoLineError = new Error(`${input}\n    at ${output}`);
    for (const error of [parseError, wrappedError, quotingError, twoLineError, input]) {
      const logged = captureLog((log) => log.error("failed", error));
      expect(findSecrets(logged, [input, "input-sec", output])).toEqual([]);
      if (error instanceof Error) expect(logged).toContain("logger.test.ts");
    }
  });

  test("treats an unknown level as info and logs a warning", () => {
    const logged = captureLog((log) => log.debug("hidden"), { level: "loud" });
    expect(logged).toContain("FAIRLEAD_LOG");
    expect(logged).not.toContain("hidden");
  });
});
