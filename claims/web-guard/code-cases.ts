import { codeLifetimeMs } from "@fairlead/api";
import { AccessTokens, OneTimeCodes } from "@fairlead/server";
import { FileTokenStore } from "@fairlead/engine";
import { sendRawRequest } from "@fairlead/testing/server/send-raw-request.ts";
import type { Grant } from "../../packages/server/src/http/access/guard.ts";
import type { CaseResults } from "./request-case.ts";
import { GuardedPage } from "./guarded-page.ts";

const owner: Grant = { id: null, label: "owner", scopes: ["read", "drive", "approve", "admin"] };
const phone = { label: "phone", scopes: ["read", "approve"] as const, tokenLifetimeMs: 60_000, persistent: false };

interface Exchange {
  readonly method?: string;
  readonly target?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
}

/** Tries codes that are used twice, late, guessed, of an earlier process, for a token, or not where a code belongs. */
export async function tryCodes(): Promise<CaseResults> {
  let now = Date.now();
  await using page = await GuardedPage.open(() => now);
  const failed: string[] = [];
  let tried = 0;
  const expect = (name: string, actual: unknown, expected: unknown): void => {
    tried += 1;
    if (JSON.stringify(actual) !== JSON.stringify(expected)) {
      failed.push(`${name}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`);
    }
  };
  const create = (): string => page.codes.create({ ...phone, scopes: [...phone.scopes] }, owner).code;
  const send = async (exchange: Exchange): Promise<number> =>
    (await sendRawRequest(page.port, formatExchange(page.port, exchange))).status;
  const exchange = (code: string): Promise<number> => send({ body: JSON.stringify({ code }) });

  const used = create();
  expect("a code", await exchange(used), 200);
  expect("a code that was used", await exchange(used), 403);

  const raced = create();
  const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(raced)));
  expect("20 uses at once", answers.filter((status) => status === 200).length, 1);

  const late = create();
  now += codeLifetimeMs;
  expect("a code that is late", await exchange(late), 403);
  now -= codeLifetimeMs;

  const code = create();
  const changed = `${code.slice(0, -1)}${code.endsWith("A") ? "B" : "A"}`;
  for (const [name, guess] of [
    ["that was guessed", `flc_${"A".repeat(32)}`],
    ["with another last character", changed],
    ["without its last character", code.slice(0, -1)],
    ["in capitals", code.toUpperCase()],
    ["with a space", `${code} `],
    ["with a line break", `${code}\n`],
    ["without its prefix", code.slice(4)],
    ["that is the name of an object", "constructor"],
    ["that is a token", page.target.tokens.owner],
  ] as const)
    expect(`a code ${name}`, await exchange(guess), 403);

  const body = JSON.stringify({ code });
  for (const [name, status, request] of [
    ["in the query", 400, { target: `/v1/grant?code=${code}`, body: "{}" }],
    ["in the query without a body", 400, { target: `/v1/grant?code=${code}` }],
    ["in the query of a GET", 401, { method: "GET", target: `/v1/grant?code=${code}` }],
    ["in the path", 401, { target: `/v1/grant/${code}`, body }],
    ["in the referrer", 400, { headers: [`Referer: http://127.0.0.1:${page.port}/?code=${code}`], body: "{}" }],
    ["as a token", 401, { method: "GET", headers: [`Authorization: Bearer ${code}`] }],
    ["in a cookie", 400, { headers: [`Cookie: code=${code}`], body: "{}" }],
    ["of a form", 415, { headers: ["Content-Type: text/plain"], body }],
    ["of another form", 415, { headers: ["Content-Type: application/x-www-form-urlencoded"], body: `code=${code}` }],
    ["without a type", 415, { headers: ["X-Content-Type: none"], body }],
    ["from another site", 403, { headers: ["Sec-Fetch-Site: cross-site"], body }],
    ["from another port", 403, { headers: ["Sec-Fetch-Site: same-site"], body }],
    ["from another origin", 403, { headers: ["Origin: http://evil.example"], body }],
    ["from the origin null", 403, { headers: ["Origin: null"], body }],
    ["with another field", 400, { body: JSON.stringify({ code, scopes: ["admin"] }) }],
    ["in a list", 400, { body: JSON.stringify({ code: [code] }) }],
    ["in an object", 400, { body: JSON.stringify({ code: { $ne: "" } }) }],
    ["twice", 400, { body: JSON.stringify([{ code }, { code }]) }],
    ["in a long body", 413, { body: JSON.stringify({ code, more: "x".repeat(2000) }) }],
    ["by PUT", 401, { method: "PUT", body }],
    ["by OPTIONS", 401, { method: "OPTIONS", body }],
  ] as const satisfies readonly (readonly [string, number, Exchange])[])
    expect(`a code ${name}`, await send(request), status);
  expect("the code after all of these", await exchange(code), 200);

  const restarted = new OneTimeCodes({ tokens: new AccessTokens(new FileTokenStore("/nonexistent/tokens.json")) });
  expect("a code after a restart", await refusalOf(() => restarted.exchange(create())), "not-allowed");
  const reader: Grant = { ...owner, scopes: ["read", "admin"] };
  const more = { ...phone, scopes: [...phone.scopes] };
  expect("a code for more than its caller has", await refusalOf(() => page.codes.create(more, reader)), "not-allowed");
  // Their tokens would survive the revocation of the caller's, and answer decisions under the label of another person.
  const { tokens } = page;
  const admin = await tokens.issue({ label: "mallory", scopes: owner.scopes });
  const limited = await tokens.issue({ label: "limited", scopes: owner.scopes, workspaces: ["/work"] });
  for (const [name, token] of Object.entries({ ...page.target.tokens, admin, limited })) {
    const request = JSON.stringify({ label: "owner", scopes: ["read"], tokenLifetimeMs: 90 * 86_400_000 });
    const status = await send({ target: "/v1/codes", headers: [`Authorization: Bearer ${token}`], body: request });
    expect(`a code for a caller with ${name}`, status, 403);
  }
  return { tried, failed };
}

async function refusalOf(action: () => unknown): Promise<string> {
  try {
    await action();
    return "accepted";
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  }
}

function formatExchange(
  port: number,
  { method = "POST", target = "/v1/grant", headers = [], body = "" }: Exchange,
): string {
  const hasType = headers.some((header) => /^(x-)?content-type:/i.test(header));
  return [
    `${method} ${target} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    "Connection: close",
    ...(body === "" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    ...(body === "" || hasType ? [] : ["Content-Type: application/json"]),
    ...headers,
    "",
    body,
  ].join("\r\n");
}
