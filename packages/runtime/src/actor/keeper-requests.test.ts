import { adapters } from "@fairlead/adapters";
import { noSandbox, RequestRejected } from "@fairlead/keeper";
import type { PendingEffect } from "@fairlead/reducer";
import { expect, test } from "vitest";
import { requestForEffect } from "./keeper-requests.ts";

const reference = "fairlead-secret:nonce/options.key";
const command = { program: "p", args: [`--key=${reference}`], env: {}, cwd: "/", stdin: "none" } as const;
const launch = { id: "1", at: 1, effect: { type: "launch", command } } as PendingEffect;
const context = {
  adapter: adapters[0]!,
  environment: {},
  readSecrets: () => ({ [reference]: "secret" }),
  sandbox: undefined,
};

test("the keeper gets references and their values apart, so that it records only the references", () => {
  expect(requestForEffect(launch, context, new Set(["secrets"]))).toMatchObject({
    command: { args: [`--key=${reference}`] },
    secrets: { [reference]: "secret" },
  });
});

test("a keeper that does not know secrets gets the values, and a command without references no secrets", () => {
  const request = requestForEffect(launch, context, new Set(["trim"]));
  expect(request).toMatchObject({ command: { args: ["--key=secret"] } });
  expect(request).not.toHaveProperty("secrets");
  const plain = { id: "2", at: 2, effect: { type: "launch", command: { ...command, args: [] } } } as PendingEffect;
  expect(requestForEffect(plain, context, new Set(["secrets"]))).not.toHaveProperty("secrets");
});

test("a launch in a sandbox is not sent to a keeper that would ignore it", () => {
  const sandbox = { ...noSandbox, kind: "bwrap" } as const;
  const plain = { id: "2", at: 2, effect: { type: "launch", command: { ...command, args: [] } } } as PendingEffect;
  expect(requestForEffect(plain, { ...context, sandbox }, new Set(["sandbox"]))).toMatchObject({ sandbox });
  expect(() => requestForEffect(plain, { ...context, sandbox }, new Set(["secrets"]))).toThrow(RequestRejected);
  expect(requestForEffect(plain, { ...context, sandbox: noSandbox }, new Set())).not.toHaveProperty("sandbox");
});

test("a withheld key is not in the agent's environment, and a launch without it is refused", () => {
  const [first] = adapters;
  const adapter = { ...first!, manifest: { ...first!.manifest, environment: ["AGENT_*"] } };
  const variables = { AGENT_KEY: "worthless", AGENT_URL: "http://127.0.0.1:8787", AGENT_MODEL: null };
  const endpoint = { port: 8787, url: "https://a.org", header: "x", prefix: "", variable: "AGENT_KEY", variables };
  const gate = { hosts: [], refusedHosts: [], services: [], forwards: [], endpoint };
  const sandbox = { ...noSandbox, kind: "bwrap", network: "gate", gate } as const;
  const features = new Set(["sandbox", "gate", "secrets"]);
  const environment = { AGENT_KEY: "real", AGENT_MODEL: "m" };
  const request = requestForEffect(launch, { ...context, adapter, environment, sandbox }, features);
  expect(request).toMatchObject({
    credential: "real",
    command: { env: { AGENT_KEY: "worthless", AGENT_URL: "http://127.0.0.1:8787" } },
  });
  const { credential: _, ...recorded } = request as { credential: string };
  expect(JSON.stringify(recorded)).not.toMatch(/"real"|AGENT_MODEL":"m"/);
  const withoutKey = { ...context, adapter, environment: {}, sandbox };
  expect(() => requestForEffect(launch, withoutKey, features)).toThrow(/AGENT_KEY is not set/);
});

test("a launch with a gate is not sent to a keeper that has none", () => {
  const gate = { hosts: [], refusedHosts: [], services: [], forwards: [] };
  const sandbox = { ...noSandbox, kind: "bwrap", network: "gate", gate } as const;
  expect(() => requestForEffect(launch, { ...context, sandbox }, new Set(["sandbox", "secrets"]))).toThrow(
    /no network gate/,
  );
});

test("only input that an adapter marks gets secrets, and no keeper that would write the references", () => {
  const write = (resolves: boolean) =>
    ({ id: "3", at: 3, effect: { type: "write", text: reference, ...(resolves && { resolves }) } }) as PendingEffect;
  const features = new Set(["input-secrets"]);
  expect(requestForEffect(write(true), context, features)).toEqual({
    do: "write",
    id: "3",
    text: reference,
    secrets: { [reference]: "secret" },
  });
  expect(requestForEffect(write(false), context, features)).not.toHaveProperty("secrets");
  expect(() => requestForEffect(write(true), context, new Set(["secrets"]))).toThrow(RequestRejected);
});
