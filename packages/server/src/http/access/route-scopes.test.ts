import { MessageRequest, type Route, type RouteName, routes, type Scope } from "@fairlead/api";
import { expect, test } from "vitest";
import { FileTokenStore } from "@fairlead/engine";
import { ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { serveHttp } from "../serve-http.ts";
import { AccessTokens } from "./access-tokens.ts";

const scopeSets: readonly (readonly Scope[])[] = [
  ["read"],
  ["drive"],
  ["drive", "admin"],
  ["drive", "approve"],
  ["read", "approve", "admin"],
];

/** The sessions that the owner started: one that asks for approval, and two that can act without it. */
const sessionKinds = {
  asking: { agent: "scripted" },
  automatic: { agent: "scripted", mode: "full-auto" },
  shell: { agent: "shell" },
} as const;
type SessionKind = keyof typeof sessionKinds;

const refusedText = "This message must reach no agent.";

/** A valid body for each route that has one. Bodies with a text are built by the test. */
const bodies: Partial<Record<RouteName, object>> = {
  updateBrief: { title: "Greet", goal: "Say it." },
  answer: { decision: "none", answer: { type: "allow" } },
  resume: {},
  fork: {},
  takeOver: { columns: 80, rows: 24 },
  resize: { columns: 80, rows: 24 },
  // No scopes of its own would be refused, too.
  createCode: { label: "page", scopes: ["admin"], tokenLifetimeMs: 60_000 },
};

/** Routes that end or remove a session come last, so that all others meet an open one. */
const lastRoutes: readonly string[] = ["pause", "stop", "forget"];
const orderedRoutes = Object.entries<Route>(routes).toSorted(
  ([one], [other]) => lastRoutes.indexOf(one) - lastRoutes.indexOf(other),
);

/** A route without a token needs a code instead: see the tests of one-time codes. */
const routesWithToken = orderedRoutes.filter(([, { scope }]) => scope !== "none");

test("every route accepts exactly the tokens with its scope, and without approve only sessions that ask", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const tokens = new AccessTokens(new FileTokenStore(testHome.home.tokensFile));
  await using service = await serveHttp({ fairlead, port: 0, tokens, metrics: async () => "" });
  const { folder: workspace } = testHome;
  const sessions = {} as Record<SessionKind, string>;
  const kinds = Object.keys(sessionKinds) as SessionKind[];
  for (const kind of kinds) sessions[kind] = (await fairlead.start({ workspace, ...sessionKinds[kind] })).session;

  const wrong: string[] = [];
  for (const [name, route] of routesWithToken) {
    for (const scopes of scopeSets) {
      const token = await tokens.issue({ label: scopes.join(), scopes: [...scopes] });
      for (const kind of route.path.includes(":session") || name === "start" ? kinds : (["asking"] as const)) {
        const isAllowed =
          (scopes as readonly string[]).concat("any").includes(route.scope) &&
          (!route.promptsAgent || scopes.includes("approve") || kind === "asking");
        const text = isAllowed ? "Hello." : refusedText;
        const startBody = { workspace, ...sessionKinds[kind], prompt: text };
        const body =
          name === "start" ? startBody : route.body === MessageRequest ? { text } : bodies[name as RouteName];
        const reply = await fetch(`${service.url}${route.path.replace(":session", sessions[kind])}`, {
          method: route.method,
          headers: {
            authorization: `Bearer ${token}`,
            ...(body !== undefined && { "content-type": "application/json" }),
          },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        await reply.text();
        if ((reply.status !== 403) !== isAllowed || reply.status >= 500)
          wrong.push(`${name} of ${kind} with ${scopes.join("+")}: ${reply.status}`);
      }
    }
  }
  expect(wrong).toEqual([]);
  for (const { session } of (await fairlead.sessions()).sessions) {
    expect(JSON.stringify(await Array.fromAsync(fairlead.events(session)))).not.toContain(refusedText);
  }
}, 120_000);

test("lists the routes that can make an agent act", () => {
  const acting = Object.entries<Route>(routes).filter(([, { promptsAgent }]) => promptsAgent);
  expect(acting.map(([name]) => name).toSorted()).toEqual(
    ["fork", "inject", "resume", "send", "start", "steer", "takeOver", "type", "updateBrief"].toSorted(),
  );
});
