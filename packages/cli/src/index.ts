export { runCli } from "./run-cli.ts";
export { surroundingsOf, type Surroundings } from "./surroundings.ts";
