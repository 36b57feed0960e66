import { readdirSync } from "node:fs";
import { join } from "node:path";
import { PersonRepository } from "@fairlead/testing/runtime/person-repository.ts";
import { ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";
import { expect, test } from "vitest";

test("a start with a repository works in a clone, also when it is repeated, and reads its fairlead.yaml", async () => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const person = new PersonRepository(join(testHome.folder, "project"), { "fairlead.yaml": "agent: scripted\n" });
  const request = { repository: { url: person.folder, ref: "main" } };
  const view = await fairlead.start(request, { key: "k" });
  expect(view).toMatchObject({ agent: "scripted", state: "idle" });
  expect(readdirSync(view.workspace)).toEqual([".git", "fairlead.yaml"]);
  expect(await fairlead.start(request, { key: "k" })).toMatchObject({ session: view.session });
  expect((await fairlead.sessions()).sessions).toHaveLength(1);
});

test.each([
  [{}, "has neither"],
  [{ workspace: "/tmp", repository: { url: "/tmp", ref: "main" } }, "not both"],
  [{ isolated: true, repository: { url: "/tmp", ref: "main" } }, "a clone of its own"],
  [{ repository: { url: "https://user:password@example.com/x", ref: "main" } }, "contains credentials"],
  [{ repository: { url: "ext::sh", ref: "main" } }, "The URL of the repository"],
  [{ repository: { url: "/tmp", ref: "--upload-pack=x" } }, "The ref is not"],
])("refuses %j", async (request, message) => {
  await using testHome = new ServiceTestHome();
  const fairlead = await testHome.open();
  const error = await fairlead.start(request).catch((one: unknown) => one);
  expect(error).toMatchObject({ code: "invalid-request", message: expect.stringContaining(message) as unknown });
  expect(String(error)).not.toContain("password@");
});
