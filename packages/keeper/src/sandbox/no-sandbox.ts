import type { Sandbox } from "@fairlead/contract";

/** No limit besides those of the user. */
export const noSandbox: Sandbox = {
  kind: "none",
  workspace: "write",
  writes: [],
  protects: [],
  hides: [],
  shows: [],
  network: "open",
};
