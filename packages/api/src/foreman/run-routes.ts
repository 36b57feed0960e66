import { z } from "zod";
import { commandDefaults, queryDefaults, type Route } from "../route.ts";
import { RunRequest } from "./plan.ts";
import { RunEventPage, RunEventQuery } from "./run-event.ts";
import { RunCheck, RunListQuery, RunPage, RunView } from "./run-view.ts";

/** The routes of the foreman. */
export const runRoutes = {
  startRun: {
    ...commandDefaults,
    path: "/v1/runs",
    scope: "approve",
    body: RunRequest,
    reply: RunView,
    args: ["body"],
    summary: "Start a run of several agents by a plan.",
  },
  checkRun: {
    ...queryDefaults,
    method: "POST",
    path: "/v1/runs/check",
    body: RunRequest,
    reply: RunCheck,
    args: ["body"],
    summary: "Check a plan: what prevents a run, and which agents would do the work.",
  },
  runs: {
    ...queryDefaults,
    path: "/v1/runs",
    query: RunListQuery,
    reply: RunPage,
    args: ["query"],
    summary: "List runs as pages, newest activity first.",
  },
  run: {
    ...queryDefaults,
    path: "/v1/run",
    query: z.strictObject({ run: z.string() }),
    reply: RunView,
    args: ["query.run"],
    summary: "Get a run by its id or a unique beginning of it.",
  },
  runEvents: {
    ...queryDefaults,
    path: "/v1/runs/events",
    query: RunEventQuery,
    reply: RunEventPage,
    args: ["query"],
    summary: "Read events of a run after a number, and wait for the next one if there is none.",
  },
  cancelRun: {
    ...commandDefaults,
    path: "/v1/runs/cancel",
    body: z.strictObject({ run: z.string() }),
    reply: RunView,
    args: ["body"],
    summary: "Cancel a run and its open decision.",
  },
} as const satisfies Record<string, Route>;
