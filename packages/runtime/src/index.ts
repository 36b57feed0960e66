export { childEnvironment, type Environment } from "./child-environment.ts";
export { choose, workspaceFile, type Asked, type Choice } from "./choice.ts";
export { Home } from "./home.ts";
export { probeHost } from "./probe-host.ts";
export { acceptedSettings, acceptMode, Registry } from "./registry.ts";
export { Runtime, type RuntimeOptions, type StartOptions } from "./runtime.ts";
export { Session } from "./session.ts";
export { Summarizing, type Summary } from "./summary.ts";
