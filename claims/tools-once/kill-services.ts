import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { ChildProgram } from "../../measure/child-program.ts";
import type { SeededRandom } from "../../measure/seeded-random.ts";
import { TestHome } from "../../measure/test-home.ts";
import type { BookingOptions, BookingReport } from "./booking-process.ts";

export interface KilledServices {
  readonly kills: number;
  readonly calls: number;
  /** How often the tool ran. */
  readonly attempts: number;
  readonly bookings: number;
  /** Calls whose agent got a result, and how many of them were successful. */
  readonly results: number;
  readonly successes: number;
}

/** Kills services while an agent waits for a tool: before its effect, after it, and around the record of the result. */
export async function killServices(
  random: SeededRandom,
  { kills: maxKills, calls, usesKey }: { readonly kills: number; readonly calls: number; readonly usesKey: boolean },
): Promise<KilledServices> {
  await using testHome = new TestHome();
  const bookings = join(testHome.folder, "bookings");
  const workspace = testHome.workspace();
  const options: BookingOptions = { home: testHome.home.folder, workspace, bookings, usesKey, calls };
  const program = new URL("booking-process.ts", import.meta.url);
  let session: string | undefined;
  let kills = 0;
  for (let isEnded = false; !isEnded;) {
    const argument = { ...options, ...(session !== undefined && { session }) };
    await using service = new ChildProgram(program, argument, { env: testHome.environment });
    for (let isKilled = false; !isKilled && !isEnded;) {
      const report = await service.readJson<BookingReport>();
      session = report.session ?? session;
      isEnded = report.ended !== undefined;
      if (report.moment === undefined || session === undefined) continue;
      isKilled = kills < maxKills && random.nextBelow(5) < 2;
      if (isKilled && report.moment === "returning") await wait(random.nextBelow(12));
      if (isKilled) kills += 1;
      else if (report.moment !== "returning") service.writeLine("");
    }
  }
  const events = await testHome.readJournal(session ?? "");
  const ended = events.flatMap(({ body }) => (body.type === "tool.ended" ? [body] : []));
  return {
    kills,
    calls,
    attempts: readFileSync(join(testHome.folder, "attempts"), "utf8").trim().split("\n").length,
    bookings: readdirSync(bookings).length,
    results: ended.length,
    successes: ended.filter(({ ok }) => ok).length,
  };
}
