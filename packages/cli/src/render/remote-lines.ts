import { sanitizeText, toOneLine } from "@fairlead/api";
import type { EnvironmentReport } from "./doctor-lines.ts";
import { journalText, wrapTable } from "./doctor-lines.ts";
import type { Paint } from "./paint.ts";

/** What is known about a service on another machine. Its programs and its sandbox cannot be checked from here. */
export interface RemoteReport extends Pick<EnvironmentReport, "sessions" | "failedSessions" | "journal" | "problem"> {
  readonly url: string;
  readonly version: string;
}

export function remoteLines(report: RemoteReport, paint: Paint, columns = Infinity): string[] {
  const { url, version, sessions, failedSessions, journal, problem } = report;
  const rows = [
    ["  URL", sanitizeText(url)],
    ["  Version", toOneLine(version)],
    ["  Data", `${sessions} ${sessions === 1 ? "session" : "sessions"}`],
    ...(problem === null ? [] : [["  Problem", paint("red", sanitizeText(problem))]]),
    ["  Journal", journalText(journal, paint)],
    ...failedSessions.map((one) => ["  Session", paint("red", `${one.session}: ${toOneLine(one.problem)}`)]),
  ];
  return [paint("bold", "Service"), ...wrapTable(rows, columns)];
}
