/** Turns off, in the process of a host, that keepers stop and end agents which the host does not attend: for controls. */
// The compiled module, which the host uses. Its types are those of the source, which exists before the build.
const compiled = new URL("../../packages/fleet/dist/src/host/attendance.js", import.meta.url).href;
const { Attendance } = (await import(compiled)) as typeof import("../../packages/fleet/src/host/attendance.ts");

/** Milliseconds, longer than any claim. */
const never = 100_000_000;

Object.defineProperty(Attendance.prototype, "limits", { get: () => ({ freezeMs: never, endMs: 2 * never }) });
Attendance.prototype.deadlines = () => null;
