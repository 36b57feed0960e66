import { fileURLToPath } from "node:url";

/** The folder of the built page, which the daemon and gateways serve. In a clone, `npm run build` creates it. */
export const pageFolder: string = fileURLToPath(
  // Compiled, this module is in dist/src.
  new URL(import.meta.url.endsWith(".ts") ? "../dist/page" : "../page", import.meta.url),
);
