import { withScript } from "@fairlead/kit";
import { expect, test, vi } from "vitest";
import { ServiceTestHome } from "@fairlead/testing/service/service-test-home.ts";

const hello = withScript("Say.", [{ text: "Hello." }]);

test("20 paused sessions are stopped while other callers open them, also if keepers start too late", async () => {
  await using testHome = new ServiceTestHome();
  const first = await testHome.open();
  const ids: string[] = [];
  for (let group = 0; group < 5; group += 1) {
    const views = await Promise.all(Array.from({ length: 4 }, () => first.start({ workspace: testHome.folder })));
    await Promise.all(views.map(({ session }) => first.pause(session)));
    ids.push(...views.map(({ session }) => session));
  }
  await testHome.close(first);
  const second = await testHome.open();
  // Some keepers answer in this time and some do not, so that some sessions are ended by force.
  vi.stubEnv("FAIRLEAD_KEEPER_TIMEOUT_MS", "60");
  const others = ids.map((id) =>
    Promise.allSettled([second.resume(id, {}), second.send(id, hello), second.session(id)]),
  );
  const stops = await Promise.allSettled(ids.flatMap((id) => [second.stop(id), second.stop(id)]));
  await Promise.all(others);
  vi.unstubAllEnvs();
  expect(stops.flatMap((stop) => (stop.status === "rejected" ? [String(stop.reason)] : []))).toEqual([]);
  for (const id of ids) expect(await second.session(id)).toMatchObject({ state: "ended", problem: null });
}, 240_000);
