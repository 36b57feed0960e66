import { PullRequestServer } from "@fairlead/testing/foreman/pull-request-server.ts";
import { expect, test } from "vitest";
import { createGithubForge, parseRepositoryName } from "./github-forge.ts";

const request = { branch: "fairlead/run-1", commit: "c", title: "Do it", body: "Done." };

async function open(server: PullRequestServer) {
  return createGithubForge({ repository: "owner/name", base: "main", token: "secret", api: server.url });
}

test("a branch has one pull request, however often it is requested", async () => {
  await using server = await PullRequestServer.open();
  const forge = await open(server);
  const address = await forge.request(request);
  expect(await forge.request(request)).toBe(address);
  expect(server.pulls).toMatchObject([{ head: { ref: "fairlead/run-1" }, base: "main", title: "Do it" }]);
  expect(server.requests.filter((one) => one.startsWith("POST"))).toEqual([
    "POST /repos/owner/name/pulls token secret",
  ]);
  await forge.request({ ...request, branch: "fairlead/run-2" });
  expect(server.pulls).toHaveLength(2);
});

test("a pull request that was made meanwhile is found", async () => {
  await using server = await PullRequestServer.open();
  const forge = await open(server);
  const address = await forge.request(request);
  // The first look fails to see it, as if it was made after the look.
  const pulls = server.pulls.splice(0);
  const second = forge.request(request);
  server.pulls.push(...pulls);
  expect(await second).toBe(address);
  expect(server.pulls).toHaveLength(1);
});

test.each([
  [500, "unavailable"],
  [503, "unavailable"],
  [429, "unavailable"],
  [200, "unavailable"],
  [401, "conflict"],
  [404, "conflict"],
])("after a refusal with the status %i, the error is %s", async (status, code) => {
  await using server = await PullRequestServer.open();
  server.failures.push(status);
  await expect((await open(server)).request(request)).rejects.toMatchObject({ code });
});

test("a service that cannot be reached is tried again later", async () => {
  const server = await PullRequestServer.open();
  const forge = await open(server);
  await server[Symbol.asyncDispose]();
  await expect(forge.request(request)).rejects.toMatchObject({ code: "unavailable" });
});

test.each([
  ["https://github.com/owner/name.git", "owner/name"],
  ["git@github.com:owner/name.git", "owner/name"],
  ["ssh://git@host/owner/na.me", "owner/na.me"],
  ["https://github.com/owner/name/", "owner/name"],
  ["nothing", null],
])("the repository of %s is %s", (address, name) => {
  expect(parseRepositoryName(address)).toBe(name);
});
