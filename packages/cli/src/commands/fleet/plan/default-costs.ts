import type { MeasuredCosts } from "./measured-costs.ts";

/** One run of the claim `slope`. The machine is small and was shared, so that other machines are likely to be faster. */
export const defaultCosts: MeasuredCosts = {
  machine: "2 × Intel(R) Xeon(R) Processor @ 2.50GHz, three servers and the client on it",
  measuredAt: "2026-11-19",
  server: "2.15.1",
  eventsPerFrame: 10,
  bytesPerFrame: 363,
  bytesPerEvent: 67,
  appendMilliseconds: 14.75,
  rowMicroseconds: 280,
  bytesPerSession: 2800,
  frames: [
    { streams: 1, inFlight: 1, microseconds: 1702 },
    { streams: 1, inFlight: 0.25, microseconds: 2029 },
    { streams: 1, inFlight: 4, microseconds: 732 },
    { streams: 1, inFlight: 16, microseconds: 354 },
    { streams: 4, inFlight: 1, microseconds: 1046 },
    { streams: 4, inFlight: 0.25, microseconds: 1646 },
    { streams: 4, inFlight: 4, microseconds: 480 },
    { streams: 4, inFlight: 16, microseconds: 228 },
    { streams: 16, inFlight: 1, microseconds: 900 },
    { streams: 16, inFlight: 0.25, microseconds: 1600 },
    { streams: 16, inFlight: 4, microseconds: 370 },
    { streams: 16, inFlight: 16, microseconds: 235 },
  ],
};
